-- The durable log and what is kept with it; claims come with 0002. Times that only the service reads
-- are milliseconds since 1970 (bigint); what people read is timestamptz.

create table installation (
  only_row boolean primary key default true check (only_row),
  secret text not null,
  write_frozen boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table installation is 'One row: the key of all hashes in claims and journal, and the write freeze.';
insert into installation (secret)
values (replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

create sequence account_numbers increment 100;
comment on sequence account_numbers is 'A block of 100 numbers for new accounts each time.';

create type member_status as enum ('active', 'suspended', 'closed');
create type unit as enum ('points', 'visits', 'stamps', 'credits', 'custom');
create type ledger_operation as enum ('accrual', 'redemption', 'reversal', 'adjustment', 'expiration', 'manual');
create type classification as enum ('bonus', 'gift', 'migration', 'service_recovery', 'correction');
create type issued_reward_status as enum ('issued', 'redeemed', 'cancelled', 'expired');

create table accounts (
  number bigint primary key,
  seq bigint not null,
  next_due bigint,
  balance bigint not null,
  status member_status not null,
  program_id text not null,
  member_id text not null,
  joined_at timestamptz not null,
  unique (program_id, member_id)
) with (fillfactor = 70);
comment on table accounts is 'One row a member account: its last record, what is due next (ms), the primary balance.';
create index accounts_next_due on accounts (next_due) where next_due is not null;

create table members (
  account bigint primary key,
  identities jsonb not null,
  attributes jsonb
);
comment on table members is 'Personal data, kept apart so that it can be erased while the log still verifies.';

create table journal (
  account bigint not null,
  seq bigint not null,
  at bigint not null,
  hash uuid not null,
  version smallint not null,
  events text not null,
  reply text not null,
  primary key (account, seq)
);
comment on table journal is 'The log: one record a decision. Its key is the fence against a second owner.';

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
  primary key (account, n)
);
comment on table ledger_entries is 'One row a ledger entry, append-only; n counts the account''s entries in the order of posting.';

create table issued_rewards (
  account bigint not null,
  issued_reward_id text not null,
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

create table snapshots (
  account bigint primary key,
  seq bigint not null,
  version smallint not null,
  state text not null
);
comment on table snapshots is 'Rebuildable at any time; never the truth.';

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
    e.location_id, e.adjustment_id, e.reservation_id, e.classification, e.reason, e.qualifies_for_tier
  from ledger_entries e join accounts a on a.number = e.account;
comment on view ledger is 'Ledger entries with programme and member, for people with SQL.';

-- A group of records comes as rows of the tables that they go to.
-- moves_from, on the last record of each account in the group: the seq that the account's row has before.
create type appended_record as (
  account bigint, seq bigint, at bigint, hash uuid, version smallint, events text, reply text,
  next_due bigint, balance bigint, status text, moves_from bigint
);
create type appended_claim as (account bigint, seq bigint, key uuid, fingerprint uuid);
create type appended_entry as (
  account bigint, n bigint, seq bigint, amount bigint, occurred_at timestamptz, expires_at timestamptz, related_n bigint,
  operation text, unit text, classification text, qualifies_for_tier boolean, order_id text, location_id text,
  adjustment_id text, reservation_id text, reason text
);
create type appended_reward as (
  account bigint, seq bigint, issued_reward_id text, reward_id text, status text, issued_at bigint, expires_at bigint,
  redeemed_at bigint, cancelled_at bigint, cancellation_reason text, artifact_type text, artifact_value text
);
create type appended_account as (
  number bigint, program_id text, member_id text, joined_at timestamptz, identities text, attributes text
);

-- Appends a group of records: one call, one transaction, one fsync. An account's records stand in it in their order, and
-- what belongs to a record bears its account and seq. maybe_claimed: the keys that may be claimed in eras before
-- known_eras, whose claims the caller knows; in later eras all keys are looked for. known_stamp: of era known_eras.
--
-- Returns a row for each record that was left out, which leaves nothing behind. outcome 1: a claim is taken (holder in
-- key, fingerprint, holder_account, holder_seq); then nothing of the group was written. 2: stale. 3: an earlier record of
-- the account was left out. 4: writes are frozen. A row with outcome 5 is of no record: era known_eras has another stamp, so
-- that all keys were looked for in all eras, and the caller must learn anew. A race with another node surfaces as a unique violation and rolls the
-- whole group back; the caller sends it again and meets the other's rows.
create function append_records(
  records appended_record[], claimed appended_claim[], entries appended_entry[], rewards appended_reward[],
  opened appended_account[], maybe_claimed uuid[], known_eras int, known_stamp uuid
) returns table (
  account float8, seq float8, outcome int, key uuid, fingerprint uuid, holder_account float8, holder_seq float8
) language plpgsql as $$
#variable_conflict use_column
declare
  frozen boolean;
  present int;
  taken boolean := false;
  moved bigint[];
  expected bigint;
begin
  -- The freeze and a new era take this lock alone, so that they wait for every group in flight.
  perform pg_advisory_xact_lock_shared(7270001);
  select i.write_frozen, (select max(e.era) from eras e) from installation i into frozen, present;
  if frozen then
    return query select r.account::float8, r.seq::float8, 4, null::uuid, null::uuid, null::float8, null::float8
      from unnest(records) r;
    return;
  end if;

  if known_eras > 0 and not exists (select from eras e where e.era = known_eras and e.stamp = known_stamp) then
    return query select null::float8, null::float8, 5, null::uuid, null::uuid, null::float8, null::float8;
    known_eras := 0;
    maybe_claimed := '{}';
  end if;

  -- Whether a claim is held. Era by era, as in any_claimed: what a session of the journal says of plans (no sequential
  -- scans, one plan for all) holds here as well.
  for looked in known_eras..present loop
    if exists (select from claims h where h.era = looked and h.key = any(array(select c.key from unnest(claimed) c))) then
      taken := true;
      exit;
    end if;
  end loop;
  if not taken and cardinality(maybe_claimed) > 0 then
    taken := any_claimed(maybe_claimed, 0, known_eras - 1);
  end if;
  if taken then
    -- Records of which a claim is held, and those behind them in their accounts.
    return query
      with held as materialized (
        select distinct on (c.account, c.seq) c.account, c.seq, h.key, h.fingerprint, h.account as holder, h.seq as held_by
        from unnest(claimed) with ordinality c(account, seq, key, fingerprint, place), generate_series(0, present) e(era)
          join claims h on h.era = e.era
        where h.key = c.key
        order by c.account, c.seq, c.place
      )
      select h.account::float8, h.seq::float8, 1, h.key, h.fingerprint, h.holder::float8, h.held_by::float8 from held h
      union all
      select r.account::float8, r.seq::float8, 3, null::uuid, null::uuid, null::float8, null::float8
      from unnest(records) r
      where not exists (select from held h where h.account = r.account and h.seq = r.seq)
        and exists (select from held h where h.account = r.account and h.seq < r.seq);
    return;
  end if;

  if cardinality(opened) > 0 then
    insert into accounts (number, seq, next_due, balance, status, program_id, member_id, joined_at)
      select o.number, 0, null, 0, 'active', o.program_id, o.member_id, o.joined_at from unnest(opened) o
    -- An account that is there already: its row does not move below, and the record is stale.
    on conflict (number) do nothing;
    insert into members (account, identities, attributes)
      select o.number, o.identities::jsonb, o.attributes::jsonb from unnest(opened) o
    on conflict (account) do nothing;
  end if;

  -- Each account's row moves from the record before the group's first to its last: the first fence.
  with advanced as (
    update accounts a set seq = r.seq, next_due = r.next_due, balance = r.balance, status = r.status::member_status
    from unnest(records) r where a.number = r.account and a.seq = r.moves_from
    returning a.number
  )
  select array(select number from advanced), (select count(r.moves_from) from unnest(records) r) into moved, expected;
  if cardinality(moved) <> expected then
    -- Another owner wrote to the rest: their records are left out, the first of each account as stale.
    return query
      select r.account::float8, r.seq::float8,
        case when row_number() over (partition by r.account order by r.seq) = 1 then 2 else 3 end,
        null::uuid, null::uuid, null::float8, null::float8
      from unnest(records) r where r.account <> all(moved);
    records := array(select r from unnest(records) r where r.account = any(moved));
    claimed := array(select c from unnest(claimed) c where c.account = any(moved));
    entries := array(select e from unnest(entries) e where e.account = any(moved));
    rewards := array(select w from unnest(rewards) w where w.account = any(moved));
  end if;

  -- In the order of the keys, so that two nodes with the same ones do not wait for each other.
  insert into claims (key, fingerprint, account, seq, era)
    select c.key, c.fingerprint, c.account, c.seq, present from unnest(claimed) c order by c.key;

  insert into journal (account, seq, at, hash, version, events, reply)
    select r.account, r.seq, r.at, r.hash, r.version, r.events, r.reply from unnest(records) r;

  insert into ledger_entries (account, n, seq, amount, occurred_at, expires_at, related_n, operation, unit,
      classification, qualifies_for_tier, order_id, location_id, adjustment_id, reservation_id, reason)
    select e.account, e.n, e.seq, e.amount, e.occurred_at, e.expires_at, e.related_n, e.operation::ledger_operation,
      e.unit::unit, e.classification::classification, e.qualifies_for_tier, e.order_id, e.location_id, e.adjustment_id,
      e.reservation_id, e.reason
    from unnest(entries) e;

  if cardinality(rewards) > 0 then
    insert into issued_rewards (account, issued_reward_id, reward_id, status, issued_at, expires_at, redeemed_at,
        cancelled_at, cancellation_reason, artifact_type, artifact_value)
      select distinct on (w.account, w.issued_reward_id) w.account, w.issued_reward_id, w.reward_id,
        w.status::issued_reward_status, w.issued_at, w.expires_at, w.redeemed_at, w.cancelled_at, w.cancellation_reason,
        w.artifact_type, w.artifact_value
      from unnest(rewards) w
      order by w.account, w.issued_reward_id, w.seq desc
    on conflict (account, issued_reward_id) do update set status = excluded.status,
      redeemed_at = excluded.redeemed_at, cancelled_at = excluded.cancelled_at,
      cancellation_reason = excluded.cancellation_reason;
  end if;
end
$$;

-- Keeps the freeze switch; returns once every group that was on its way has ended.
create function set_write_frozen(frozen boolean) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7270001);
  update installation set write_frozen = frozen;
end
$$;

-- Rows of these tables are written once and hardly ever change. By its own settings PostgreSQL vacuums a young table every
-- minute and reads 30,000 pages for its statistics; after a checkpoint each page touched goes to the WAL whole, at two to
-- four times the usual volume, in the middle of a rush. All rows are alike, so that 300 pages say enough for statistics.
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
