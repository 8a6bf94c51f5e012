-- Oldest: 0.3.0
-- The points that came from elsewhere are found without reading the other lines of all days. Its lock lets readers go on, and
-- the writer of the sums waits, no till.
create index finance_days_imported on finance_days (program_id, start) include (unit, location_id, points)
  where span = 1 and line in ('migration_credits', 'migration_debits');
