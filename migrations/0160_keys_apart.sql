-- Oldest: 0.3.0
-- Idempotency keys beside a business id have an end (contract/databases.md *Keys*). They lie in a table of their own, a partition for
-- each span, which is dropped whole. Keys of before stay in claims. A record has its key too, so its hash can be proven for good.

create table keys (
  key uuid not null,
  fingerprint uuid not null,
  account bigint not null,
  seq bigint not null,
  span smallint not null
) partition by list (span);
comment on table keys is
  'Idempotency keys beside a business id, as keyed hashes, in the span of their record. A key is in one partition only, and not in claims.';

alter table journal add column key uuid, add column key_fingerprint uuid;
comment on column journal.key is 'The record''s claim that is in keys as long as that has the span; null: it has none, or claims has it alone.';
alter table journal alter column key set statistics 1, alter column key_fingerprint set statistics 1;

-- As an era's: a database with a span's stamp has all keys of earlier spans that a service with this stamp has read.
alter table spans add column stamp uuid not null default gen_random_uuid(), add column keys_ended_at timestamptz;
comment on column spans.keys_ended_at is 'When the keys of the span were dropped; null: they are there, or the span has none.';

alter table installation add column keys_apart boolean not null default false;
comment on column installation.keys_apart is 'Keys beside a business id go to keys, not to claims. No node of an older version appends from then on.';

-- Makes the partition of a span.
create function make_keys(of_span smallint) returns void language plpgsql as $$
declare
  part text := 'keys_' || of_span;
  col name;
begin
  execute format('create table %I (like keys including defaults)', part);
  execute format('alter table %I add constraint %I primary key (key)', part, part || '_pkey');
  execute format('alter table %I set (%s)', part,
    (select array_to_string(c.reloptions, ', ') from pg_class c where c.oid = 'claims'::regclass));
  -- For the reason in 0001.
  for col in select a.attname from pg_attribute a where a.attrelid = part::regclass and a.attnum > 0 loop
    execute format('alter table %I alter column %I set statistics 1', part, col);
  end loop;
  execute format('alter table keys attach partition %I for values in (%s)', part, of_span);
end
$$;
-- Those of the present span, and of each to come that has partitions already.
select make_keys(n::smallint) from installation i, generate_series(i.span, i.span + 2) n
  where to_regclass('journal_' || n) is not null;

do $$
declare
  before text := pg_get_functiondef('prepare_spans'::regproc);
  after text := replace(before, '    foreach parent in array array[''ledger_entries'', ''journal''] loop
      execute format(''alter table %I attach', '    perform make_keys(number);
    foreach parent in array array[''ledger_entries'', ''journal''] loop
      execute format(''alter table %I attach');
begin
  if length(after) <> length(before) + length('    perform make_keys(number);
') then
    raise exception 'prepare_spans is not as 0063 has made it';
  end if;
  execute after;
end
$$;

-- append_keyed is append_announced for records with keys. known_span: the first span whose keys the caller does not know, and
-- known_span_stamp its stamp; maybe_keyed: the keys that may be in earlier ones.
create type keyed_record as (
  account bigint, seq bigint, at bigint, hash uuid, program_version int, version smallint, actor text, origin text, events text,
  reply text, balances text, next_due bigint, balance bigint, status text, moves_from bigint, announced bigint,
  key uuid, key_fingerprint uuid
);
do $$
declare
  before text := pg_get_functiondef('append_announced'::regproc);
  after text := before;
  changes constant text[] := array[
    ['append_announced(records announced_record[]', 'append_keyed(records keyed_record[]'],
    ['decided_under integer)', 'decided_under integer, maybe_keyed uuid[], known_span smallint, known_span_stamp uuid)'],
    ['  taken boolean := false;
', '  taken boolean := false;
  apart boolean;
  keyed appended_claim[];
  sought appended_claim[];
'],
    ['(select max(e.era) from eras e), i.span
    from installation i into refused, epoch_now, present, span_now;', '(select max(e.era) from eras e), i.span, i.keys_apart
    from installation i into refused, epoch_now, present, span_now, apart;'],
    ['  if known_eras > 0 and not exists (select from eras e where e.era = known_eras and e.stamp = known_stamp) then
', '  -- Keys come first, so that a taken one is reported before anything else that its record claims.
  keyed := array(select (r.account, r.seq, r.key, r.key_fingerprint)::appended_claim from unnest(records) r where r.key is not null);
  sought := keyed || claimed;
  if not apart then
    claimed := sought;
  end if;

  if known_eras > 0 and not exists (select from eras e where e.era = known_eras and e.stamp = known_stamp)
    or known_span > 0 and not exists (select from spans s where s.span = known_span and s.stamp = known_span_stamp)
  then
'],
    ['    known_eras := 0;
    maybe_claimed := ''{}'';
', '    known_eras := 0;
    maybe_claimed := ''{}'';
    known_span := 0;
    maybe_keyed := ''{}'';
'],
    ['taken := any_claimed(array(select c.key from unnest(claimed) c), known_eras', 'taken := any_claimed(array(select c.key from unnest(sought) c), known_eras'],
    ['h.key = any(array(select c.key from unnest(claimed) c))) then', 'h.key = any(array(select c.key from unnest(sought) c))) then'],
    ['  if not taken and cardinality(identified) > 0 then
', '  -- A key of before lies in claims, so it was looked for there too.
  if not taken and apart and cardinality(keyed) > 0 then
    taken := exists (
      select from keys h where h.span >= known_span and h.span <= span_now and h.key = any(array(select c.key from unnest(keyed) c))
    );
  end if;
  if not taken and cardinality(maybe_keyed) > 0 then
    taken := exists (select from keys h where h.span < known_span and h.key = any(maybe_keyed));
  end if;
  if not taken and cardinality(identified) > 0 then
'],
    ['        from unnest(claimed) with ordinality c(account, seq, key, fingerprint, place), generate_series(0, present) e(era)
', '        from unnest(sought) with ordinality c(account, seq, key, fingerprint, place), generate_series(0, present) e(era)
'],
    ['        where h.key = c.key
        union all
', '        where h.key = c.key
        union all
        select c.account, c.seq, c.place, h.key, h.fingerprint, h.account, h.seq
        from unnest(keyed) with ordinality c(account, seq, key, fingerprint, place) join keys h on h.key = c.key
        union all
'],
    ['cardinality(claimed) + i.place', 'cardinality(sought) + i.place'],
    ['  insert into claims (key, fingerprint, account, seq, era)
', '  if apart then
    insert into keys (key, fingerprint, account, seq, span)
      select r.key, r.key_fingerprint, r.account, r.seq, span_now from unnest(records) r where r.key is not null order by r.key;
  end if;
  insert into claims (key, fingerprint, account, seq, era)
'],
    ['reply, balances, announced, span)', 'reply, balances, announced, span, key, key_fingerprint)'],
    ['r.balances, r.announced, span_now', 'r.balances, r.announced, span_now, r.key, r.key_fingerprint']
  ];
begin
  for at in 1..array_length(changes, 1) loop
    if position(changes[at][1] in after) = 0 then
      raise exception 'append_announced is not as 0139 has made it: %', changes[at][1];
    end if;
    after := replace(after, changes[at][1], changes[at][2]);
  end loop;
  execute after;
end
$$;

-- Nodes of an older version call append_announced, or append_records, and know nothing of keys. So they append nothing once there
-- are any: under the lock, so that no group of theirs is in flight when keys go apart.
create or replace function append_announced(
  records announced_record[], claimed appended_claim[], entries appended_entry[], rewards appended_reward[],
  opened appended_account[], identified appended_identity[], changed appended_member[],
  profiled appended_profile[], audited appended_audit[],
  is_linked boolean, maybe_claimed uuid[], known_eras int, known_stamp uuid, of_node text, decided_under int
) returns table (
  account bigint, seq bigint, outcome append_outcome, key uuid, fingerprint uuid, holder_account bigint, holder_seq bigint
) language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock_shared(7270001);
  if (select i.keys_apart from installation i) then
    return query select r.account, r.seq, 'unavailable'::append_outcome, null::uuid, null::uuid, null::bigint, null::bigint
      from unnest(records) r;
    return;
  end if;
  return query select * from append_keyed(
    array(
      select (r.account, r.seq, r.at, r.hash, r.program_version, r.version, r.actor, r.origin, r.events, r.reply, r.balances,
        r.next_due, r.balance, r.status, r.moves_from, r.announced, null, null)::keyed_record
      from unnest(records) with ordinality r(account, seq, at, hash, program_version, version, actor, origin, events, reply,
        balances, next_due, balance, status, moves_from, announced, place)
      order by r.place
    ),
    claimed, entries, rewards, opened, identified, changed, profiled, audited, is_linked, maybe_claimed, known_eras,
    known_stamp, of_node, decided_under, '{}'::uuid[], 0::smallint, null);
end
$$;

-- Keys go apart once no node of an older version can append: none runs, and none can join any more (0022_protocols.sql). Returns
-- whether they do. Gives up early where a group holds the lock, and is called again.
create function part_keys() returns boolean language plpgsql security definer set lock_timeout = '250ms' as $$
begin
  if (select i.keys_apart from installation i) then
    return true;
  end if;
  if not exists (select from partitions p where p.protocol >= 3) or exists (select from nodes n where not n.dead and n.protocol < 3) then
    return false;
  end if;
  insert into migrations (name, checksum, oldest) values ('keys', 'keys', '0.4.0') on conflict do nothing;
  perform pg_advisory_xact_lock(7270001);
  update installation set keys_apart = true;
  return true;
end
$$;

-- Drops the keys of the oldest span with any, if that is sealed and the next one began before `before` (ms, by the caller's clock)
-- and 400 days ago by PostgreSQL's. Returns how many there were, about. Groups wait meanwhile; it gives up early, and is called again.
create function drop_keys(before bigint) returns table (deleted bigint, more boolean) language plpgsql security definer
set lock_timeout = '250ms' as $$
declare
  old smallint;
  part text;
begin
  select s.span into old from spans s join spans n on n.span = s.span + 1 join seals l on l.span = s.span
    where s.keys_ended_at is null and to_regclass('keys_' || s.span) is not null
      and n.began_at < to_timestamp(drop_keys.before / 1000.0) and n.began_at < clock_timestamp() - interval '400 days'
    order by s.span limit 1;
  if old is null then
    return query select 0::bigint, false;
    return;
  end if;
  part := 'keys_' || old;
  -- A snapshot of before would lack the keys, and not say so.
  perform pg_advisory_xact_lock(7270013);
  perform pg_advisory_xact_lock(7270001);
  execute format('lock table only keys, %I in access exclusive mode', part);
  update spans s set keys_ended_at = clock_timestamp() where s.span = old;
  return query select greatest(0, c.reltuples)::bigint, true from pg_class c where c.oid = part::regclass;
  execute format('drop table %I', part);
end
$$;

do $$
begin
  execute format('alter function part_keys() set search_path = %I, pg_temp', current_schema());
  execute format('alter function drop_keys(bigint) set search_path = %I, pg_temp', current_schema());
  revoke execute on function part_keys() from public;
  revoke execute on function drop_keys(bigint) from public;
  -- A new database has no older node, and none starts on it.
  if not exists (select from accounts) and not exists (select from nodes) then
    insert into migrations (name, checksum, oldest) values ('keys', 'keys', '0.4.0');
    update installation set keys_apart = true;
  end if;
end
$$;

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'truncate journal, ledger_entries, ', 'truncate journal, keys, ledger_entries, ');
begin
  if length(after) <> length(before) + length('keys, ') then
    raise exception 'reset_sandbox is not as 0143 has made it';
  end if;
  execute after;
end
$$;
