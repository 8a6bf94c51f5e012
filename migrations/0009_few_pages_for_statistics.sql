-- For seconds of a rush's minutes the log still grew half to two times as fast as accruals make it. Whoever first reads a
-- row since it was written notes in its page that it is committed, and after a checkpoint such a page goes to the log whole:
-- that is what PostgreSQL does in 30,000 pages of a table for its statistics, by a tenth more of it. Until it is through,
-- no former version of an account's row can go: 290 pages of accounts became 1,840. In these tables all rows are alike, so
-- that 300 pages say enough, for as long as it takes to grow by half; the service itself asks by index whatever they say.
-- Vacuum goes at an eighth of its pace: after a checkpoint began, pages yet to be written cost it next to nothing, and it
-- went through 4,700 a second, which is 40 MB of log.

do $$
declare
  place record;
begin
  for place in
    select c.oid::regclass as of, a.attname as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.oid in ('journal'::regclass, 'ledger_entries'::regclass, 'claims'::regclass) and a.attnum > 0
      and not a.attisdropped
  loop
    execute format('alter table %s alter column %I set statistics 1', place.of, place.column);
  end loop;
end
$$;

alter table journal set (
  autovacuum_vacuum_cost_delay = 80, autovacuum_vacuum_cost_limit = 100,
  autovacuum_analyze_threshold = 200000, autovacuum_analyze_scale_factor = 0.5
);
alter table ledger_entries set (
  autovacuum_vacuum_cost_delay = 80, autovacuum_vacuum_cost_limit = 100,
  autovacuum_analyze_threshold = 200000, autovacuum_analyze_scale_factor = 0.5
);
alter table claims set (
  autovacuum_vacuum_cost_delay = 80, autovacuum_vacuum_cost_limit = 100,
  autovacuum_analyze_threshold = 200000, autovacuum_analyze_scale_factor = 0.5
);
