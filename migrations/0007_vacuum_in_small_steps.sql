-- Rows of these tables are written once and hardly ever change, so that there is little to tidy up in them. By its own
-- settings PostgreSQL goes over a young table every minute and touches each page that has come since; where a checkpoint
-- has passed, each of them goes to the log whole: within a few seconds, at two to four times the log's usual volume, in
-- the middle of a rush. Here it waits for a million rows beside its share of the table, and goes at a tenth of the pace.
-- Statistics are taken as often as ever: verify chooses its ways by them, and takes five times as long without.

alter table journal set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 200
);
alter table ledger_entries set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 200
);
alter table claims set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 200
);
