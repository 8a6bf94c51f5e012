-- Oldest: 0.2.0
-- What a node of a newer protocol between nodes has written, an older one cannot read. So an older one does not come back
-- once a newer one owned accounts, and a newer one owns none beside an older one (contract/databases.md *Versions*).

alter table partitions add column protocol int not null default 1;
comment on column partitions.protocol is 'The newest protocol between nodes that an owner of it has spoken.';

-- A claim and a joining node wait for each other (the lock below), so one of them sees the other.
create function claim_by_protocol() returns trigger language plpgsql as $$
declare
  claimer nodes;
begin
  select * into claimer from nodes where id = new.owner;
  if exists (select from nodes n where not n.dead and n.protocol < claimer.protocol) then
    return null;
  end if;
  if claimer.protocol > new.protocol then
    new.protocol := claimer.protocol;
    -- Older versions read this at their start, and refuse it.
    update migrations set oldest = claimer.version where name = '0022_protocols.sql' and oldest <> claimer.version;
  end if;
  return new;
end $$;
create trigger claim_by_protocol before update of owner on partitions
  for each row when (new.owner is not null and new.owner is distinct from old.owner) execute function claim_by_protocol();

create function join_by_protocol() returns trigger language plpgsql as $$
begin
  lock table partitions in share mode;
  if exists (select from partitions where protocol > new.protocol) then
    raise exception 'a node of a newer version has owned accounts of this database, and version % cannot read all that it wrote: '
      'start the newer version', new.version;
  end if;
  return new;
end $$;
create trigger join_by_protocol before insert on nodes for each row execute function join_by_protocol();
