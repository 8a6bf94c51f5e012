-- Everything that may happen only once in the whole service, in eras. Keys are random: in one large index, each claim
-- touches another page, and after a checkpoint the WAL takes each touched page whole. An era is small, so its claims share
-- pages. The primary key makes a key unique in its era. Groups check the earlier eras, which have no claims in flight: a
-- new era begins under the lock that every group shares.
--
-- An era's stamp is random and is made in the transaction that ends the previous era. So a database with this stamp has all
-- claims of the earlier eras that a service with this stamp has read. A restored backup or a promoted standby that lacks
-- some of them has another stamp, or none.

create table eras (
  era int primary key,
  stamp uuid not null default gen_random_uuid(),
  began bigint not null
);
comment on table eras is 'One row for each era of claims; began: size of the claims in bytes at its start. The last one is the present era.';
insert into eras (era, began) values (0, 0);

create table claims (
  key uuid not null,
  fingerprint uuid not null,
  account bigint not null,
  seq bigint not null,
  era int not null,
  primary key (era, key)
) with (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_vacuum_cost_delay = 80, autovacuum_vacuum_cost_limit = 100,
  autovacuum_analyze_threshold = 200000, autovacuum_analyze_scale_factor = 0.5
);
comment on table claims is 'Everything that may happen only once in the whole service, as keyed hashes; a key is in one era only.';
alter table claims
  alter column key set statistics 1, alter column fingerprint set statistics 1, alter column account set statistics 1,
  alter column seq set statistics 1, alter column era set statistics 1;

-- Begins a new era if the present one has at least least_bytes of claims and a sixteenth of all claims, so that there are
-- few eras. While it waits for its lock, groups wait behind it; so it gives up early, and the caller retries later.
create function begin_era(least_bytes bigint) returns boolean language plpgsql set lock_timeout = '250ms' as $$
declare
  bytes bigint := pg_relation_size('claims');
begin
  if not exists (
    select from (select began from eras order by era desc limit 1) e where bytes - began >= greatest(least_bytes, bytes / 16)
  ) then
    return false;
  end if;
  -- Waits for every group in flight; later groups see the new era. Two concurrent calls begin one era.
  perform pg_advisory_xact_lock(7270001);
  insert into eras (era, began)
    select era + 1, bytes from (select era, began from eras order by era desc limit 1) e
    where bytes - began >= greatest(least_bytes, bytes / 16);
  return found;
end
$$;

-- True if one of the keys is claimed in an era from the first to the last. It looks at one era at a time: in one statement
-- over several eras, PostgreSQL 18 would read all eras of the index for every key. Only an index scan is allowed, because
-- a plan made while the table is small must still be good when it is large.
create function any_claimed(keys uuid[], first_era int, last_era int) returns boolean language plpgsql
set enable_seqscan = off as $$
begin
  for looked in first_era..last_era loop
    if exists (select from claims h where h.era = looked and h.key = any(keys)) then
      return true;
    end if;
  end loop;
  return false;
end
$$;
