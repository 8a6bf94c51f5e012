-- Everything that happens once in the whole service, in eras. Keys are random: in one index of all of them each claim
-- meets a page of its own, which the WAL takes whole the first time after a checkpoint. Within an era, which is small,
-- claims share pages. A key is unique in its era by the primary key, and in all of them because groups look into the eras
-- before theirs, where no more claims are in flight: a new era begins under the lock that every group shares.

--
-- An era's stamp is random and is made in the transaction that ends the era before. So a database with this stamp has all
-- claims of the eras before it, as the service that read the stamp has learnt them; a restored backup or a promoted standby
-- that lacks some has another stamp, or none.

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

-- Begins an era where the present one has grown: to least_bytes of claims, and to a sixteenth of all of them, so that eras
-- stay few. While it waits, groups wait behind it: where one in flight takes long, it gives up, and is asked again later.
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

-- Whether one of the keys is claimed in an era from the first to the last. Era by era, because PostgreSQL 18 reads all
-- eras of the index for every key when asked about several in one statement. With one possible plan: a plan made while
-- the table is small must serve when it is large.
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
