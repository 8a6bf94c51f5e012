-- The durable log and its tables; claims are in 0002. Times that only the service reads are milliseconds since 1970
-- (bigint). Times that people read are timestamptz.

create table installation (
  only_row boolean primary key default true check (only_row),
  secret text not null,
  write_frozen boolean not null default false,
  epoch int not null default 1,
  system_identifier bigint,
  timeline int,
  created_at timestamptz not null default now()
);
comment on table installation is 'One row: the key of all hashes in claims and journal, the write freeze, the epoch of transaction ids and the server of that epoch.';
insert into installation (secret)
values (replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

create sequence account_numbers increment 100;
comment on sequence account_numbers is
  'For new accounts, in blocks of 100. An account''s number is one of these times 256, plus its partition.';

create type member_status as enum ('active', 'suspended', 'closed');
create type unit as enum ('points', 'visits', 'stamps', 'credits', 'custom');
create type ledger_operation as enum ('accrual', 'redemption', 'reversal', 'adjustment', 'expiration', 'manual');
create type classification as enum ('bonus', 'gift', 'migration', 'service_recovery', 'correction');
create type issued_reward_status as enum ('issued', 'redeemed', 'cancelled', 'expired', 'merged');

create table accounts (
  number bigint primary key,
  seq bigint not null,
  next_due bigint,
  balance bigint not null,
  status member_status not null,
  program_id text not null,
  member_id text collate "C" not null,
  joined_at timestamptz not null,
  unique (program_id, member_id)
) with (fillfactor = 70);
comment on table accounts is 'One row for each member account: its last record, the next due time (ms), the primary balance.';
create index accounts_next_due on accounts (next_due) where next_due is not null;
-- For the operators' list, newest first.
create index accounts_joined on accounts (program_id, status, joined_at, number);

create table members (
  account bigint primary key,
  identities jsonb not null,
  attributes jsonb,
  attributes_hash bytea
);
comment on table members is 'Personal data, kept apart so that it can be erased while the log still verifies.';
comment on column members.attributes_hash is 'attributes_hash of attributes, so that a change past the service is found; null without attributes.';

-- Prefixes a text with its length, so that two different lists of texts never give the same bytes.
create function framed(part text) returns text language sql immutable as $$
  select case when part is null then '-' else length(part) || ':' || part end
$$;

-- A keyed hash of a list of texts.
create function keyed_hash(variadic parts text[]) returns bytea language sql stable as $$
  select sha256(convert_to(
    framed((select secret from installation)) || (select string_agg(framed(p.part), '' order by p.place)
      from unnest(parts) with ordinality p(part, place)), 'UTF8'))
$$;

create function attributes_hash(of_account bigint, attributes jsonb) returns bytea language sql stable as $$
  select case when attributes is not null then keyed_hash('attributes', of_account::text, attributes::text) end
$$;

create table identities (
  key uuid primary key,
  account bigint not null,
  seq bigint not null
);
comment on table identities is 'The owner of each identity, as a keyed hash, and the record that assigned it. A removed identity may be assigned again.';
create index identities_account on identities (account);

create table journal (
  account bigint not null,
  seq bigint not null,
  at bigint not null,
  transaction xid8 not null,
  hash uuid not null,
  epoch int not null,
  program_version int not null,
  version smallint not null,
  actor text,
  origin text,
  events text not null,
  reply text not null,
  balances text not null,
  written_at bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  primary key (account, seq)
);
comment on table journal is 'The log: one record for each decision. Its key is the fence against a second owner.';
comment on column journal.at is 'The service''s time, ms; in a sandbox its clock''s.';
comment on column journal.written_at is 'PostgreSQL''s time when the record was written, ms: it tells which records a wrong clock has dated.';
comment on column journal.hash is 'Hash of the previous record''s hash and this record, without epoch, transaction and written_at.';
comment on column journal.program_version is 'The version of the programme that the decision used.';
comment on column journal.version is 'The format of events and reply.';
comment on column journal.actor is 'The name of the caller; null for the service itself.';
comment on column journal.origin is
  'The request: its request_id, then source.system and source.instance, separated by spaces; null for the service itself.';
comment on column journal.balances is 'JSON: [unit, posted, reserved] of every unit after this record.';
comment on column journal.epoch is 'Transaction ids can only be compared within one epoch.';
create index journal_in_order on journal (epoch, transaction, account, seq);

create table ledger_entries (
  account bigint not null,
  n bigint not null,
  seq bigint not null,
  amount bigint not null,
  occurred_at timestamptz(3) not null,
  expires_at timestamptz(3),
  related_n bigint,
  operation ledger_operation not null,
  unit unit not null,
  classification classification,
  qualifies_for_tier boolean,
  order_id text,
  location_id text,
  adjustment_id text,
  reservation_id text,
  reason text,
  placed_at timestamptz(3),
  business_date text,
  primary key (account, n)
);
comment on column ledger_entries.placed_at is 'Accruals: when the guest ordered, by the till''s clock.';
comment on column ledger_entries.business_date is 'Accruals: the till''s business day, YYYY-MM-DD.';
comment on table ledger_entries is 'One row for each ledger entry, append-only; n counts the account''s entries in the order of posting.';

create table issued_rewards (
  account bigint not null,
  issued_reward_id text not null,
  n bigint not null,
  reward_id text not null,
  status issued_reward_status not null,
  issued_at bigint not null,
  expires_at bigint,
  redeemed_at bigint,
  cancelled_at bigint,
  cancellation_reason text,
  artifact_type text not null,
  artifact_value text not null,
  primary key (account, issued_reward_id)
);
comment on column issued_rewards.n is 'Number of the reward in its account, in the order of issuing.';
comment on column issued_rewards.status is 'merged: the member was merged into another one, whose account now has the reward.';

create table snapshots (
  account bigint primary key,
  seq bigint not null,
  version smallint not null,
  state text not null
);
comment on table snapshots is 'A copy of each state, which shortens replay. The journal alone is authoritative.';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger journal_append_only before update or delete or truncate on journal
  for each statement execute function refuse_change();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

create view ledger as
  select a.program_id, a.member_id, e.unit, e.n, e.operation, e.amount, e.occurred_at, e.expires_at, e.order_id,
    e.location_id, e.adjustment_id, e.reservation_id, e.classification, e.reason, e.qualifies_for_tier,
    e.placed_at, e.business_date, j.actor,
    split_part(j.origin, ' ', 1) as request_id, split_part(j.origin, ' ', 2) as source_system,
    split_part(j.origin, ' ', 3) as source_instance
  from ledger_entries e join accounts a on a.number = e.account join journal j on j.account = e.account and j.seq = e.seq;
comment on view ledger is 'Ledger entries with programme, member and request, for SQL queries by people.';

-- The parameters of append_records: a group of records, as arrays of rows for each table.
-- moves_from is set on the last record of each account in the group: the seq of the account's row before the group.
create type appended_record as (
  account bigint, seq bigint, at bigint, hash uuid, program_version int, version smallint, actor text, origin text, events text,
  reply text, balances text, next_due bigint, balance bigint, status text, moves_from bigint
);
create type appended_claim as (account bigint, seq bigint, key uuid, fingerprint uuid);
create type appended_entry as (
  account bigint, n bigint, seq bigint, amount bigint, occurred_at timestamptz, expires_at timestamptz, related_n bigint,
  operation text, unit text, classification text, qualifies_for_tier boolean, order_id text, location_id text,
  adjustment_id text, reservation_id text, reason text, placed_at timestamptz, business_date text
);
create type appended_reward as (
  account bigint, seq bigint, issued_reward_id text, n bigint, reward_id text, status text, issued_at bigint, expires_at bigint,
  redeemed_at bigint, cancelled_at bigint, cancellation_reason text, artifact_type text, artifact_value text
);
create type appended_account as (
  number bigint, program_id text, member_id text, joined_at timestamptz, identities text, attributes text
);

create type appended_identity as (account bigint, seq bigint, key uuid, added boolean);
create type appended_member as (account bigint, seq bigint, identities text, attributes text);
create type appended_profile as (account bigint, seq bigint, change text);
create type appended_audit as (account bigint, seq bigint, entry text);

create type append_outcome as enum
  ('taken', 'stale', 'superseded', 'frozen', 'other_stamps', 'unavailable', 'outdated');

-- Appends a group of records: one call, one transaction, one fsync.
--
-- Records of one account are in order of seq. Rows of the other arrays name their record by account and seq.
-- maybe_claimed: the keys that may be claimed in eras before known_eras. The caller knows the claims of those eras; in
-- known_eras and later, the function looks for every key. known_stamp: the stamp of era known_eras.
-- is_linked: the records are one linked group, and either all of them are written or none.
--
-- Returns one row for each rejected record. A rejected record writes nothing. Outcomes:
--   taken         a claim or identity is held; key, fingerprint, holder_account and holder_seq describe its holder.
--                 Nothing of the group was written.
--   stale         another owner has written to the account.
--   superseded    an earlier record of the account, or another record of the linked group, was rejected.
--   frozen        writes are frozen.
--   other_stamps  belongs to no record: era known_eras has another stamp. The function looked for all keys in all eras,
--                 and the caller must read the claims of earlier eras again.
--   unavailable   of_node was declared dead (null: not compared).
--   outdated      the programmes have another revision than decided_under.
--
-- If another node inserts the same key at the same time, a unique violation rolls back the whole group. The caller sends
-- the group again and then finds the rows of the other node.
create function append_records(
  records appended_record[], claimed appended_claim[], entries appended_entry[], rewards appended_reward[],
  opened appended_account[], identified appended_identity[], changed appended_member[],
  profiled appended_profile[], audited appended_audit[],
  is_linked boolean, maybe_claimed uuid[], known_eras int, known_stamp uuid, of_node text, decided_under int
) returns table (
  account bigint, seq bigint, outcome append_outcome, key uuid, fingerprint uuid, holder_account bigint, holder_seq bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  refused append_outcome;
  epoch_now int;
  present int;
  taken boolean := false;
  moved bigint[];
  expected bigint;
begin
  -- Groups share this lock. The freeze, a publication, a new era and begin_epoch take it exclusively, so that they wait
  -- for every group in flight.
  perform pg_advisory_xact_lock_shared(7270001);
  select case
        when of_node is not null and not is_live(of_node) then 'unavailable'::append_outcome
        when i.write_frozen then 'frozen'::append_outcome
        when i.programs_revision <> decided_under then 'outdated'::append_outcome
      end, i.epoch, (select max(e.era) from eras e)
    from installation i into refused, epoch_now, present;
  if refused is not null then
    return query select r.account, r.seq, refused, null::uuid, null::uuid, null::bigint, null::bigint
      from unnest(records) r;
    return;
  end if;

  if known_eras > 0 and not exists (select from eras e where e.era = known_eras and e.stamp = known_stamp) then
    return query select null::bigint, null::bigint, 'other_stamps'::append_outcome, null::uuid, null::uuid, null::bigint, null::bigint;
    known_eras := 0;
    maybe_claimed := '{}';
  end if;

  -- Looks for a taken claim, one era at a time for the reason given at any_claimed. The journal's sessions switch off
  -- sequential scans and use one generic plan; that applies here too.
  for looked in known_eras..present loop
    if exists (select from claims h where h.era = looked and h.key = any(array(select c.key from unnest(claimed) c))) then
      taken := true;
      exit;
    end if;
  end loop;
  if not taken and cardinality(maybe_claimed) > 0 then
    taken := any_claimed(maybe_claimed, 0, known_eras - 1);
  end if;
  if not taken and cardinality(identified) > 0 then
    -- An identity that its holder loses in this same group counts as free: linked records move it.
    taken := exists (
      select from unnest(identified) i join identities h on h.key = i.key
      where i.added
        and not exists (select from unnest(identified) f where f.key = h.key and f.account = h.account and not f.added)
    );
  end if;
  if taken then
    -- Returns the records whose claim or identity is taken, and the later records of the same accounts.
    return query
      with found as (
        select c.account, c.seq, c.place, h.key, h.fingerprint, h.account as holder, h.seq as held_by
        from unnest(claimed) with ordinality c(account, seq, key, fingerprint, place), generate_series(0, present) e(era)
          join claims h on h.era = e.era
        where h.key = c.key
        union all
        -- Identities sort after claims, so that a taken idempotency key is reported first.
        select i.account, i.seq, cardinality(claimed) + i.place, h.key, h.key, h.account, h.seq
        from unnest(identified) with ordinality i(account, seq, key, added, place) join identities h on h.key = i.key
        where i.added
          and not exists (select from unnest(identified) f where f.key = h.key and f.account = h.account and not f.added)
      ), held as materialized (
        select distinct on (f.account, f.seq) f.* from found f order by f.account, f.seq, f.place
      )
      select h.account, h.seq, 'taken'::append_outcome, h.key, h.fingerprint, h.holder, h.held_by from held h
      union all
      select r.account, r.seq, 'superseded'::append_outcome, null::uuid, null::uuid, null::bigint, null::bigint
      from unnest(records) r
      where not exists (select from held h where h.account = r.account and h.seq = r.seq)
        and (is_linked or exists (select from held h where h.account = r.account and h.seq < r.seq));
    return;
  end if;

  if is_linked then
    -- Checks every record for staleness before anything is written. Locks the accounts in order of their numbers, so that
    -- two nodes do not wait for each other.
    perform from accounts a where a.number in (select r.account from unnest(records) r) order by a.number for update;
    if exists (
      select from unnest(records) r
      where r.moves_from <> coalesce((select a.seq from accounts a where a.number = r.account), 0)
    ) then
      return query select r.account, r.seq,
          case when r.moves_from <> coalesce((select a.seq from accounts a where a.number = r.account), 0)
            then 'stale'::append_outcome else 'superseded'::append_outcome end,
          null::uuid, null::uuid, null::bigint, null::bigint
        from unnest(records) r;
      return;
    end if;
  end if;

  if cardinality(opened) > 0 then
    insert into accounts (number, seq, next_due, balance, status, program_id, member_id, joined_at)
      select o.number, 0, null, 0, 'active', o.program_id, o.member_id, o.joined_at from unnest(opened) o
    -- If the account exists already, the update below does not match its row, and the record is stale.
    on conflict (number) do nothing;
    insert into members (account, identities, attributes, attributes_hash)
      select o.number, o.identities::jsonb, o.attributes::jsonb, attributes_hash(o.number, o.attributes::jsonb)
      from unnest(opened) o
    on conflict (account) do nothing;
  end if;

  -- Advances each account's row from the seq before the group to the account's last seq in the group. This compare-and-set
  -- is the first fence against a second owner; the primary key of journal is the second.
  with advanced as (
    update accounts a set seq = r.seq, next_due = r.next_due, balance = r.balance, status = r.status::member_status
    from unnest(records) r where a.number = r.account and a.seq = r.moves_from
    returning a.number
  )
  select array(select number from advanced), (select count(r.moves_from) from unnest(records) r) into moved, expected;
  if cardinality(moved) <> expected then
    -- Another owner wrote to the accounts that did not advance. Their records are rejected: the first of each account as
    -- stale, the others as superseded.
    return query
      select r.account, r.seq,
        case when row_number() over (partition by r.account order by r.seq) = 1
          then 'stale'::append_outcome else 'superseded'::append_outcome end,
        null::uuid, null::uuid, null::bigint, null::bigint
      from unnest(records) r where r.account <> all(moved);
    records := array(select r from unnest(records) r where r.account = any(moved));
    claimed := array(select c from unnest(claimed) c where c.account = any(moved));
    entries := array(select e from unnest(entries) e where e.account = any(moved));
    rewards := array(select w from unnest(rewards) w where w.account = any(moved));
    identified := array(select i from unnest(identified) i where i.account = any(moved));
    changed := array(select c from unnest(changed) c where c.account = any(moved));
    profiled := array(select p from unnest(profiled) p where p.account = any(moved));
    audited := array(select a from unnest(audited) a where a.account = any(moved));
  end if;

  -- Inserts in the order of the keys, so that two nodes with the same keys do not wait for each other.
  insert into claims (key, fingerprint, account, seq, era)
    select c.key, c.fingerprint, c.account, c.seq, present from unnest(claimed) c order by c.key;

  insert into journal (account, seq, at, transaction, hash, epoch, program_version, version, actor, origin, events,
      reply, balances)
    select r.account, r.seq, r.at, pg_current_xact_id(), r.hash, epoch_now, r.program_version, r.version, r.actor, r.origin,
      r.events, r.reply, r.balances
    from unnest(records) r;

  insert into ledger_entries (account, n, seq, amount, occurred_at, expires_at, related_n, operation, unit,
      classification, qualifies_for_tier, order_id, location_id, adjustment_id, reservation_id, reason, placed_at,
      business_date)
    select e.account, e.n, e.seq, e.amount, e.occurred_at, e.expires_at, e.related_n, e.operation::ledger_operation,
      e.unit::unit, e.classification::classification, e.qualifies_for_tier, e.order_id, e.location_id, e.adjustment_id,
      e.reservation_id, e.reason, e.placed_at, e.business_date
    from unnest(entries) e;

  if cardinality(rewards) > 0 then
    insert into issued_rewards (account, issued_reward_id, n, reward_id, status, issued_at, expires_at, redeemed_at,
        cancelled_at, cancellation_reason, artifact_type, artifact_value)
      select distinct on (w.account, w.issued_reward_id) w.account, w.issued_reward_id, w.n, w.reward_id,
        w.status::issued_reward_status, w.issued_at, w.expires_at, w.redeemed_at, w.cancelled_at, w.cancellation_reason,
        w.artifact_type, w.artifact_value
      from unnest(rewards) w
      order by w.account, w.issued_reward_id, w.seq desc
    on conflict (account, issued_reward_id) do update set status = excluded.status,
      redeemed_at = excluded.redeemed_at, cancelled_at = excluded.cancelled_at,
      cancellation_reason = excluded.cancellation_reason;
  end if;

  -- No identity is in two records of a group: the caller holds the second record back. The one exception is an identity
  -- that linked records move.
  if cardinality(identified) > 0 then
    delete from identities h using unnest(identified) i where h.key = i.key and h.account = i.account and not i.added;
    insert into identities (key, account, seq)
      select i.key, i.account, i.seq from unnest(identified) i where i.added order by i.key;
  end if;
  if cardinality(changed) > 0 then
    update members m set identities = c.identities::jsonb, attributes = c.attributes::jsonb,
        attributes_hash = attributes_hash(c.account, c.attributes::jsonb)
      from (select distinct on (c.account) c.* from unnest(changed) c order by c.account, c.seq desc) c
      where m.account = c.account;
  end if;
  -- The audit's chain before personal_data_lock: a keyed request of an operator takes the two in this order.
  if cardinality(audited) > 0 then
    perform append_audit(0, a.entry::jsonb) from unnest(audited) with ordinality a(account, seq, entry, place) order by a.place;
  end if;
  if cardinality(profiled) > 0 then
    perform change_profile(p.account, r.at, p.change::jsonb, r.actor)
      from unnest(profiled) with ordinality p(account, seq, change, place) join unnest(records) r
        on r.account = p.account and r.seq = p.seq
      order by p.place;
  end if;
end
$$;

-- Begins a new epoch if new transaction ids may not be above the stored ones: if the server or its timeline is another, or
-- if a stored id is not below the next one. The service that becomes active calls it; an import calls it with force.
-- Returns the epoch.
create function begin_epoch(force boolean default false) returns int language plpgsql as $$
declare
  of_server bigint := (select system_identifier from pg_control_system());
  of_timeline int := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int;
  newest xid8;
begin
  -- Waits for every group in flight, so that all records of the previous epoch are committed when this epoch begins.
  perform pg_advisory_xact_lock(7270001);
  select j.transaction from journal j where j.epoch = (select epoch from installation) order by j.epoch desc, j.transaction desc
    limit 1 into newest;
  update installation set epoch = epoch + 1
    where force or newest >= pg_snapshot_xmax(pg_current_snapshot())
      or newest is not null and (system_identifier, timeline) is distinct from (of_server, of_timeline);
  update installation set system_identifier = of_server, timeline = of_timeline
    where (system_identifier, timeline) is distinct from (of_server, of_timeline);
  return (select epoch from installation);
end
$$;

-- Stores the freeze switch and its audit entry. Returns after every group in flight has ended.
create function set_write_frozen(frozen boolean, entry jsonb default null) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7270001);
  update installation set write_frozen = frozen;
  if entry is not null then
    perform append_audit(0, entry);
  end if;
end
$$;

-- Rows of these tables are written once and never change. With default settings PostgreSQL vacuums a growing table every
-- minute and reads 30,000 pages for its statistics. After a checkpoint each page that vacuum changes goes to the WAL as a
-- full page image, which is two to four times the usual volume at the busiest time. The rows are alike, so a sample of 300
-- pages is enough for statistics.
alter table journal set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_vacuum_cost_delay = 80, autovacuum_vacuum_cost_limit = 100,
  autovacuum_analyze_threshold = 200000, autovacuum_analyze_scale_factor = 0.5
);
alter table ledger_entries set (
  autovacuum_vacuum_insert_threshold = 1000000, autovacuum_vacuum_cost_delay = 80, autovacuum_vacuum_cost_limit = 100,
  autovacuum_analyze_threshold = 200000, autovacuum_analyze_scale_factor = 0.5
);
do $$
declare
  place record;
begin
  for place in
    select c.oid::regclass as of, a.attname as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.oid in ('journal'::regclass, 'ledger_entries'::regclass) and a.attnum > 0
  loop
    execute format('alter table %s alter column %I set statistics 1', place.of, place.column);
  end loop;
end
$$;
