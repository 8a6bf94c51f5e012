-- Rows of these tables are written once and hardly ever change, so that there is little to tidy up in them. By its own
-- settings PostgreSQL goes over a young table every minute and touches each page that has come since; where a checkpoint
-- has passed, each of them goes to the log whole: within a few seconds, at up to four times the log's usual volume, in
-- the middle of a rush. Here it goes over a million rows or a fifth of the table at a time, at a tenth of the pace.

alter table journal set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_threshold = 1000000,
  autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 200
);
alter table ledger_entries set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_threshold = 1000000,
  autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 200
);
alter table claims set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_threshold = 1000000,
  autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 200
);
