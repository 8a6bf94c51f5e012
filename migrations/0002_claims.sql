-- Everything that happens once in the whole service, in eras. Keys are random: in one index of all of them each claim
-- meets a page of its own, which the WAL takes whole the first time after a checkpoint. Within an era, which is small,
-- claims share pages. A key is unique in its era by the primary key, and in all of them because groups look into the eras
-- before theirs, where no more claims are in flight: a new era begins under the lock that every group shares.

alter table installation add column era int not null default 0, add column era_began bigint not null default 0;
comment on column installation.era is 'The present era of claims.';
comment on column installation.era_began is 'Bytes of claims when the present era began.';

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
comment on table claims is 'Everything that happens once in the whole service, as keyed hashes; a key is in one era only.';
alter table claims
  alter column key set statistics 1, alter column fingerprint set statistics 1, alter column account set statistics 1,
  alter column seq set statistics 1, alter column era set statistics 1;

-- Begins an era where the present one has grown: to least_bytes of claims, and to a sixteenth of all of them, so that eras
-- stay few. While it waits, groups wait behind it: where one in flight takes long, it gives up, and is asked again later.
create function begin_era(least_bytes bigint) returns boolean language plpgsql set lock_timeout = '250ms' as $$
declare
  bytes bigint := pg_relation_size('claims');
begin
  if not exists (select from installation where bytes - era_began >= greatest(least_bytes, bytes / 16)) then
    return false;
  end if;
  -- Waits for every group in flight; those after it see the new era. Two that come here at once begin one.
  perform pg_advisory_xact_lock(7270001);
  update installation set era = era + 1, era_began = bytes
    where bytes - era_began >= greatest(least_bytes, bytes / 16);
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
