-- 0005 has been out in two former wordings, of these two functions. Here every database comes to the same.

-- Begins an era where the present one has grown: to least_bytes of claims, and to a sixteenth of all of them. While it
-- waits, groups wait behind it: where one on its way takes long, it gives up, and is asked again later.
create or replace function begin_era(least_bytes bigint) returns boolean language plpgsql set lock_timeout = '250ms' as $$
declare
  bytes bigint := pg_relation_size('claims');
begin
  if not exists (select from installation where bytes - era_began >= greatest(least_bytes, bytes / 16)) then
    return false;
  end if;
  -- Waits for every group on its way; those after it see the new era. Two that come here at once begin one.
  perform pg_advisory_xact_lock(7270001);
  update installation set era = era + 1, era_began = bytes
    where bytes - era_began >= greatest(least_bytes, bytes / 16);
  return found;
end
$$;

-- Whether one of the keys is claimed in an era from the first to the last. Era by era, and with nothing to choose from:
-- a plan made while the table is small, or before it was analysed, must serve when it is large.
create or replace function any_claimed(keys uuid[], first_era int, last_era int) returns boolean language plpgsql
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
