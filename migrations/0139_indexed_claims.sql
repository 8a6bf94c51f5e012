-- Oldest: 0.3.0
-- Claims of ended eras are looked up by one index, not era by era (contract/databases.md *Claims*). No claim is added to an ended
-- era, so an append does not maintain it. It decides nothing: without it the same statements are right, and slow.

create function indexed_eras() returns int language sql immutable as 'select 0';
comment on function indexed_eras() is
  'The claims of eras before this one have an index of their own, claims_before_<era>. A constant, so that plans use the index.';

-- Makes look-ups use claims_before_<before_era>. any_claimed has the number twice in one text: a session that does not know yet
-- of a new number leaves no era out.
create function use_claims_index(before_era int) returns void language plpgsql as $$
begin
  if before_era > (select max(e.era) from eras e) then
    raise exception 'era % has not begun', before_era;
  end if;
  execute format('create or replace function indexed_eras() returns int language sql immutable as %L', 'select ' || before_era);
  execute format(
    'create or replace function any_claimed(keys uuid[], first_era int, last_era int) returns boolean language plpgsql
      set enable_seqscan = off as %L',
    format($body$
begin
  if first_era < %1$s then
    if exists (select from claims h where h.era < %1$s and h.key = any(keys)) then
      return true;
    end if;
  end if;
  for looked in greatest(first_era, %1$s)..last_era loop
    if exists (select from claims h where h.era = looked and h.key = any(keys)) then
      return true;
    end if;
  end loop;
  return false;
end
$body$, before_era));
end
$$;
select use_claims_index(0);
comment on function any_claimed(uuid[], int, int) is
  'True if one of the keys is claimed in an era from the first to the last; of indexed eras, in any of them. Only index scans are '
  'allowed: a plan that is made while the table is small must be good when it is large. In one statement over several eras that '
  'have no index of their own, PostgreSQL 18 would read all of them for every key.';

-- The claims with some keys, of any era.
create function held_claims(keys uuid[]) returns setof claims language sql stable as $$
  select h.* from claims h where h.era < indexed_eras() and h.key = any(keys)
  union all
  select h.* from generate_series(indexed_eras(), (select max(e.era) from eras e)) e(era) cross join unnest(keys) k(key)
    cross join lateral (select c.* from claims c where c.era = e.era and c.key = k.key offset 0) h
$$;

-- A service that knows the claims of indexed eras looks for none there, as before.
do $$
declare
  before text := pg_get_functiondef('append_announced'::regproc);
  after text := replace(replace(before,
    '  epoch_now int;
',
    '  epoch_now int;
  looked_from int;
'),
    '  for looked in known_eras..present loop
',
    '  looked_from := greatest(known_eras, indexed_eras());
  if known_eras < looked_from then
    taken := any_claimed(array(select c.key from unnest(claimed) c), known_eras, looked_from - 1);
  end if;
  for looked in looked_from..present loop
');
begin
  if length(after) <> length(before) + 219 then
    raise exception 'append_announced is not as 0063 has made it';
  end if;
  execute after;
end
$$;
