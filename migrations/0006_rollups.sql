-- Rollups: what the operators' figures and lists read. The feed keeps them; all of it can be remade from the journal.

create table rollup_progress (
  only_row boolean primary key default true check (only_row),
  changes bigint not null default 0,
  epoch int not null default 0,
  transaction xid8 not null default '0',
  account bigint not null default 0,
  seq bigint not null default 0
) with (fillfactor = 10);
comment on table rollup_progress is 'One row: the position in the feed up to which the rollups count. It moves in the transaction that changes them.';
comment on column rollup_progress.changes is 'Counts the changes of all rollups; a writer compares and sets it.';
insert into rollup_progress default values;

create table rollup_ladders (
  program_id text primary key,
  ladder text not null,
  sorted_to bigint,
  since bigint not null
);
comment on table rollup_ladders is 'The tiers of a programme by which the rollups sort its members.';
comment on column rollup_ladders.ladder is 'JSON: the unit and source of the metric, and the tiers with their minimums, lowest first.';
comment on column rollup_ladders.sorted_to is 'Accounts up to this number are sorted by it already; null: all are.';
comment on column rollup_ladders.since is 'When the sorting began, ms.';

create table member_rollups (
  account bigint primary key,
  seq bigint not null,
  program_id text not null,
  member_id text collate "C" not null,
  status member_status not null,
  joined bigint not null,
  tier_id text not null,
  tier_period bigint not null,
  period bigint,
  units text not null
) with (fillfactor = 80);
comment on table member_rollups is 'One row a member, as of the last record that the rollups count.';
comment on column member_rollups.joined is 'When the member was enrolled, ms.';
comment on column member_rollups.tier_id is 'The tier in tier_period; empty where the programme has none.';
comment on column member_rollups.tier_period is 'Start (ms) of the tier period in which tier_id counts, in others it is the lowest tier; -1: at any time.';
comment on column member_rollups.period is 'Start (ms) of the tier period that qualified counts; null before the first qualifying entry.';
comment on column member_rollups.units is 'JSON: [unit, posted, reserved, lifetime, qualified] of every unit.';
-- One for each order of the operators' list: newest first, and by member id.
create index member_rollups_joined on member_rollups (program_id, status, tier_period, tier_id, joined, account);
create index member_rollups_member on member_rollups (program_id, status, tier_period, tier_id, member_id, account, joined);

create table rollup_members (
  program_id text not null,
  status member_status not null,
  tier_period bigint not null,
  tier_id text not null,
  members bigint not null,
  primary key (program_id, status, tier_period, tier_id)
);
comment on table rollup_members is 'How many members there are of each kind.';

create table rollup_points (
  program_id text not null,
  unit unit not null,
  posted numeric not null,
  reserved numeric not null,
  primary key (program_id, unit)
);
comment on table rollup_points is 'The sums of all balances and of all open holds.';

create table rollup_lots (
  program_id text not null,
  unit unit not null,
  quarter bigint not null,
  amount numeric not null,
  primary key (program_id, unit, quarter)
);
comment on table rollup_lots is 'Unspent points by the quarter of an hour (its start, ms) in which they expire. Midnight is the start of a quarter in every zone.';

create table rollup_activity (
  program_id text not null,
  unit unit not null,
  quarter bigint not null,
  orders bigint not null,
  eligible_spend numeric not null,
  issued numeric not null,
  redeemed numeric not null,
  expired numeric not null,
  adjusted numeric not null,
  primary key (program_id, unit, quarter)
);
comment on table rollup_activity is 'What was posted in a quarter of an hour (its start, ms); orders count with the first entry of their accrual.';

-- Changes the rollups and moves their position, together or not at all. `seen` is the count of changes that `change` was
-- made on. Returns 'moved' where another writer came between, 'replaced' where of_holder (null: not compared) is not the
-- active service any more; then nothing was written.
create function change_rollups(of_holder text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, change json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  if of_holder is not null and of_holder is distinct from (select s.holder from active_service s where s.only_row) then
    return 'replaced';
  end if;
  update rollup_progress p set changes = seen + 1, epoch = change_rollups.epoch, transaction = change_rollups.transaction,
      account = change_rollups.account, seq = change_rollups.seq
    where p.only_row and p.changes = seen;
  if not found then
    return 'moved';
  end if;

  insert into rollup_ladders (program_id, ladder, sorted_to, since)
    select c.program_id, c.ladder, c.sorted_to, c.since
    from json_to_recordset(change -> 'ladders') c(program_id text, ladder text, sorted_to bigint, since bigint)
  on conflict (program_id) do update set ladder = excluded.ladder, sorted_to = excluded.sorted_to, since = excluded.since;

  insert into member_rollups (account, seq, program_id, member_id, status, joined, tier_id, tier_period, period, units)
    select c.account, c.seq, c.program_id, c.member_id, c.status::member_status, c.joined, c.tier_id, c.tier_period, c.period,
      c.units
    from json_to_recordset(change -> 'members') c(account bigint, seq bigint, program_id text, member_id text, status text,
      joined bigint, tier_id text, tier_period bigint, period bigint, units text)
  on conflict (account) do update set seq = excluded.seq, status = excluded.status, tier_id = excluded.tier_id,
    tier_period = excluded.tier_period, period = excluded.period, units = excluded.units;

  insert into rollup_members as r (program_id, status, tier_period, tier_id, members)
    select c.program_id, c.status::member_status, c.tier_period, c.tier_id, c.members
    from json_to_recordset(change -> 'kinds') c(program_id text, status text, tier_period bigint, tier_id text, members bigint)
  on conflict (program_id, status, tier_period, tier_id) do update set members = r.members + excluded.members;

  insert into rollup_points as r (program_id, unit, posted, reserved)
    select c.program_id, c.unit::unit, c.posted, c.reserved
    from json_to_recordset(change -> 'points') c(program_id text, unit text, posted numeric, reserved numeric)
  on conflict (program_id, unit) do update set posted = r.posted + excluded.posted, reserved = r.reserved + excluded.reserved;

  insert into rollup_lots as r (program_id, unit, quarter, amount)
    select c.program_id, c.unit::unit, c.quarter, c.amount
    from json_to_recordset(change -> 'lots') c(program_id text, unit text, quarter bigint, amount numeric)
  on conflict (program_id, unit, quarter) do update set amount = r.amount + excluded.amount;
  delete from rollup_lots r
    using json_to_recordset(change -> 'lots') c(program_id text, unit text, quarter bigint, amount numeric)
    where r.program_id = c.program_id and r.unit = c.unit::unit and r.quarter = c.quarter and r.amount = 0;

  insert into rollup_activity as r (program_id, unit, quarter, orders, eligible_spend, issued, redeemed, expired, adjusted)
    select c.program_id, c.unit::unit, c.quarter, c.orders, c.eligible_spend, c.issued, c.redeemed, c.expired, c.adjusted
    from json_to_recordset(change -> 'activity') c(program_id text, unit text, quarter bigint, orders bigint,
      eligible_spend numeric, issued numeric, redeemed numeric, expired numeric, adjusted numeric)
  on conflict (program_id, unit, quarter) do update set orders = r.orders + excluded.orders,
    eligible_spend = r.eligible_spend + excluded.eligible_spend, issued = r.issued + excluded.issued,
    redeemed = r.redeemed + excluded.redeemed, expired = r.expired + excluded.expired,
    adjusted = r.adjusted + excluded.adjusted;
  return 'changed';
end
$$;

-- Empties the rollups: whoever keeps them begins again from the first record.
create function reset_rollups() returns void language plpgsql as $$
begin
  update rollup_progress set changes = changes + 1, epoch = 0, transaction = '0', account = 0, seq = 0;
  truncate rollup_ladders, member_rollups, rollup_members, rollup_points, rollup_lots, rollup_activity;
end
$$;

-- The operators' search for a whole identity value.
create function identity_values(identities jsonb) returns text[] language sql immutable strict parallel safe as $$
  select array(select one ->> 'value' from jsonb_array_elements(identities) one)
$$;
create index members_identity_values on members using gin (identity_values(identities)) with (fastupdate = off);
