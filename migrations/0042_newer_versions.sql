-- Oldest: 0.2.0
-- A version that owned nothing since a newer protocol did reads here that it may not run, and ends at its start with that word.
-- 0022_protocols.sql wrote it beside its own name, which 0.3.0 knows and does not look at.

create or replace function claim_by_protocol() returns trigger language plpgsql security definer as $$
declare
  claimer nodes;
begin
  select * into claimer from nodes where id = new.owner;
  if exists (select from nodes n where not n.dead and n.protocol < claimer.protocol) then
    return null;
  end if;
  if claimer.protocol > new.protocol then
    new.protocol := claimer.protocol;
    update migrations set oldest = claimer.version where name = '0042_newer_versions.sql' and oldest <> claimer.version;
  end if;
  return new;
end $$;

do $$
begin
  execute format('alter function claim_by_protocol() set search_path = %I, pg_temp', current_schema());
end
$$;
