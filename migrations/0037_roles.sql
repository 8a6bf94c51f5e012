-- Oldest: 0.3.0
-- The service may run with a role that owns nothing (contract/databases.md *Roles*). These functions need the owner's rights,
-- so they run with them, in the schema that they were made in and no other. Migrations that replace one must say so again.
do $$
declare
  one text;
begin
  foreach one in array array['reset_sandbox(text, bigint, jsonb)', 'reset_rollups()', 'claim_by_protocol()'] loop
    execute format('alter function %s security definer', one);
    execute format('alter function %s set search_path = %I, pg_temp', one, current_schema());
    execute format('revoke execute on function %s from public', one);
  end loop;
end
$$;
