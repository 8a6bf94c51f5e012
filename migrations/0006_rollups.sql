-- Rollups: sums and lists for the operators' and the platform's reads. They are updated from the feed, and can be rebuilt
-- from the journal at any time.

create table rollup_progress (
  only_row boolean primary key default true check (only_row),
  changes bigint not null default 0,
  epoch int not null default 0,
  transaction xid8 not null default '0',
  account bigint not null default 0,
  seq bigint not null default 0
) with (fillfactor = 10);
comment on table rollup_progress is 'One row: the feed position up to which the rollups include all records. It moves in the transaction that changes the rollups.';
comment on column rollup_progress.changes is 'Number of changes so far. A writer compares and sets it.';
insert into rollup_progress default values;

create table rollup_ladders (
  program_id text primary key,
  ladder text not null,
  sorted_to bigint,
  since bigint not null
);
comment on table rollup_ladders is 'The tiers of a programme, as the rollups use them to give each member a tier.';
comment on column rollup_ladders.ladder is 'JSON: the unit and source of the metric, and the tiers with their minimums, lowest first.';
comment on column rollup_ladders.sorted_to is 'Accounts up to this number have their tier by this ladder already. Null: all have.';
comment on column rollup_ladders.since is 'When the rollups began to use this ladder, ms.';

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
  units text not null,
  points_posted bigint,
  points_reserved bigint,
  visits_posted bigint,
  visits_reserved bigint,
  stamps_posted bigint,
  stamps_reserved bigint,
  credits_posted bigint,
  credits_reserved bigint,
  custom_posted bigint,
  custom_reserved bigint
) with (fillfactor = 80);
comment on table member_rollups is 'One row for each member, as of the last record that the rollups include.';
comment on column member_rollups.joined is 'When the member was enrolled, ms.';
comment on column member_rollups.tier_id is 'The member''s tier in tier_period. Empty: the programme has no tiers.';
comment on column member_rollups.tier_period is 'Start (ms) of the tier period in which the member has tier_id; in other periods it has the lowest tier. -1: tier_id holds in every period.';
comment on column member_rollups.period is 'Start (ms) of the tier period of the qualified amounts in units. Null: no qualifying entry yet.';
comment on column member_rollups.units is 'JSON: [unit, posted, reserved, lifetime, qualified] of every unit.';
comment on column member_rollups.points_posted is 'The posted amount of one unit, as a column for conditions. Null: the unit never had an entry or a hold.';
-- For the operators' list of a tier, newest first.
create index member_rollups_joined on member_rollups (program_id, status, tier_period, tier_id, joined, account);

-- With a condition on the unit, PostgreSQL reads only one branch of the union.
create view rollup_member_points (account, unit, posted, reserved) as
  select account, 'points'::unit, points_posted, points_reserved from member_rollups where points_posted is not null
union all
  select account, 'visits'::unit, visits_posted, visits_reserved from member_rollups where visits_posted is not null
union all
  select account, 'stamps'::unit, stamps_posted, stamps_reserved from member_rollups where stamps_posted is not null
union all
  select account, 'credits'::unit, credits_posted, credits_reserved from member_rollups where credits_posted is not null
union all
  select account, 'custom'::unit, custom_posted, custom_reserved from member_rollups where custom_posted is not null;
comment on view rollup_member_points is 'The balances of each member, one row for each unit.';

create table rollup_member_lots (
  account bigint not null,
  unit unit not null,
  expires_at bigint not null,
  amount bigint not null,
  primary key (account, unit, expires_at)
) with (fillfactor = 90);
comment on table rollup_member_lots is 'Unspent points of each member by the instant (ms) at which they expire. Points that never expire have no row.';
create index rollup_member_lots_expiring on rollup_member_lots (expires_at, account);

create table rollup_orders (
  account bigint not null,
  order_id text collate "C" not null,
  program_id text not null,
  at bigint not null,
  location_id text,
  business bigint not null,
  accrued bigint not null,
  earned_by bigint not null,
  delta bigint not null default 0,
  is_closed boolean not null default false,
  spend bigint not null generated always as (case when is_closed then 0 else greatest(0, accrued + delta) end) stored,
  primary key (account, order_id)
) with (fillfactor = 95);
comment on table rollup_orders is 'Every order with an accrual. A merge moves a member''s orders to the remaining member.';
comment on column rollup_orders.at is 'Time of the accrual, ms.';
comment on column rollup_orders.business is 'UTC midnight of the order''s business day, ms; without one, of the day on which it accrued.';
comment on column rollup_orders.accrued is 'Eligible spend at the accrual, minor units.';
comment on column rollup_orders.earned_by is 'The account on which it accrued. Merges leave it: campaigns count orders of the member that they reached.';
comment on column rollup_orders.delta is 'Sum of all later changes of the eligible spend, minor units.';
comment on column rollup_orders.is_closed is 'True if the order was refunded in full or voided.';
comment on column rollup_orders.spend is 'Eligible spend net of refunds, minor units.';
create index rollup_orders_account on rollup_orders (account, at);
create index rollup_orders_program on rollup_orders (program_id, at) include (account, location_id, spend);
create index rollup_orders_business on rollup_orders (program_id, business) include (account, location_id);

create table rollup_buyers (
  account bigint primary key,
  program_id text not null,
  orders bigint not null,
  spend bigint not null,
  last_order bigint not null,
  order_before bigint
) with (fillfactor = 80);
comment on table rollup_buyers is 'One row for each member with an order: what all orders of the member come to, so that questions about its last orders need not read them.';
comment on column rollup_buyers.spend is 'Eligible spend net of refunds, minor units.';
comment on column rollup_buyers.last_order is 'Time of the last order, ms.';
comment on column rollup_buyers.order_before is 'Time of the order before the last one, ms. Null: there is one order.';

create table rollup_merges (
  account bigint primary key,
  into_account bigint not null
) with (fillfactor = 90);
comment on table rollup_merges is 'The account that each merged account belongs to now, after all merges.';
create index rollup_merges_into on rollup_merges (into_account);

create table rollup_members (
  program_id text not null,
  status member_status not null,
  tier_period bigint not null,
  tier_id text not null,
  members bigint not null,
  primary key (program_id, status, tier_period, tier_id)
);
comment on table rollup_members is 'Number of members by programme, status and tier.';

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
comment on table rollup_lots is 'Unspent points by the quarter of an hour in which they expire. quarter: its start, ms. In every time zone a quarter starts at midnight.';

create table rollup_activity (
  program_id text not null,
  unit unit not null,
  location_id text collate "C" not null,
  quarter bigint not null,
  orders bigint not null,
  eligible_spend numeric not null,
  issued numeric not null,
  redeemed numeric not null,
  reversed numeric not null,
  expired numeric not null,
  adjusted numeric not null,
  primary key (program_id, unit, location_id, quarter)
);
comment on table rollup_activity is 'Sums of the entries posted in each quarter of an hour (quarter: its start, ms). An order counts at the first entry of its accrual.';
comment on column rollup_activity.location_id is 'The location of the entries. Empty: the sum of all locations and of entries without one.';
comment on column rollup_activity.eligible_spend is 'Eligible spend of the orders at their accrual, minor units.';

create table rollup_joined (
  program_id text not null,
  quarter bigint not null,
  members bigint not null,
  primary key (program_id, quarter)
);
comment on table rollup_joined is 'Number of members enrolled in each quarter of an hour (quarter: its start, ms).';

create table rollup_sales (
  program_id text not null,
  span bigint not null,
  start bigint not null,
  location_id text collate "C" not null,
  orders bigint not null,
  spend numeric not null,
  primary key (program_id, span, start, location_id)
);
comment on table rollup_sales is 'Orders by location and time of accrual: by quarter of an hour, and by day of UTC so that a long range has few rows. And by business day.';
comment on column rollup_sales.span is 'Length of the interval, ms: a quarter of an hour or a day. 0: a business day.';
comment on column rollup_sales.start is 'Start of the interval, ms; UTC midnight of a business day.';
comment on column rollup_sales.spend is 'Eligible spend net of refunds, minor units.';

create table rollup_rewards (
  program_id text not null,
  span bigint not null,
  start bigint not null,
  location_id text collate "C" not null,
  reward_id text collate "C" not null,
  reserved bigint not null,
  captured bigint not null,
  reversed bigint not null,
  expired bigint not null,
  issued bigint not null,
  redeemed bigint not null,
  primary key (program_id, span, start, location_id, reward_id)
);
comment on table rollup_rewards is 'Events of rewards by reward, location and interval (as in rollup_sales): holds reserved, captured, reversed, expired; wallet rewards issued, redeemed.';
comment on column rollup_rewards.location_id is 'The location of the reservation. Empty: no location, as for every issued reward.';

-- Changes the rollups and moves their position in one transaction. seen: rollup_progress.changes when the caller computed
-- the change. Returns 'changed'; or 'moved' if another writer changed the rollups meanwhile; or 'replaced' if of_node was
-- declared dead (null: not compared). After 'moved' and 'replaced' nothing was written.
create function change_rollups(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, change json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  part record;
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  update rollup_progress p set changes = seen + 1, epoch = change_rollups.epoch, transaction = change_rollups.transaction,
      account = change_rollups.account, seq = change_rollups.seq
    where p.only_row and p.changes = seen;
  if not found then
    return 'moved';
  end if;

  -- Parses the JSON once: each access to a part of a JSON text would parse the whole text again.
  select x.* into part from json_to_record(change) x(ladders json, members json, kinds json, points json, lots json,
    activity json, joined json, sales json, rewards json, member_lots json, merged json, orders json, adjusted json);

  insert into rollup_ladders (program_id, ladder, sorted_to, since)
    select c.program_id, c.ladder, c.sorted_to, c.since
    from json_to_recordset(part.ladders) c(program_id text, ladder text, sorted_to bigint, since bigint)
  on conflict (program_id) do update set ladder = excluded.ladder, sorted_to = excluded.sorted_to, since = excluded.since;

  insert into member_rollups (
      account, seq, program_id, member_id, status, joined, tier_id, tier_period, period, units, points_posted,
      points_reserved, visits_posted, visits_reserved, stamps_posted, stamps_reserved, credits_posted,
      credits_reserved, custom_posted, custom_reserved)
    select
      c.account, c.seq, c.program_id, c.member_id, c.status::member_status, c.joined, c.tier_id, c.tier_period,
      c.period, c.units, c.points_posted, c.points_reserved, c.visits_posted, c.visits_reserved, c.stamps_posted,
      c.stamps_reserved, c.credits_posted, c.credits_reserved, c.custom_posted, c.custom_reserved
    from json_to_recordset(part.members) c(
      account bigint, seq bigint, program_id text, member_id text, status text, joined bigint, tier_id text,
      tier_period bigint, period bigint, units text, points_posted bigint, points_reserved bigint,
      visits_posted bigint, visits_reserved bigint, stamps_posted bigint, stamps_reserved bigint,
      credits_posted bigint, credits_reserved bigint, custom_posted bigint, custom_reserved bigint)
  on conflict (account) do update set
    seq = excluded.seq, status = excluded.status, tier_id = excluded.tier_id, tier_period = excluded.tier_period,
    period = excluded.period, units = excluded.units, points_posted = excluded.points_posted,
    points_reserved = excluded.points_reserved, visits_posted = excluded.visits_posted,
    visits_reserved = excluded.visits_reserved, stamps_posted = excluded.stamps_posted,
    stamps_reserved = excluded.stamps_reserved, credits_posted = excluded.credits_posted,
    credits_reserved = excluded.credits_reserved, custom_posted = excluded.custom_posted,
    custom_reserved = excluded.custom_reserved;

  insert into rollup_members as r (program_id, status, tier_period, tier_id, members)
    select c.program_id, c.status::member_status, c.tier_period, c.tier_id, c.members
    from json_to_recordset(part.kinds) c(program_id text, status text, tier_period bigint, tier_id text, members bigint)
  on conflict (program_id, status, tier_period, tier_id) do update set members = r.members + excluded.members;

  insert into rollup_points as r (program_id, unit, posted, reserved)
    select c.program_id, c.unit::unit, c.posted, c.reserved
    from json_to_recordset(part.points) c(program_id text, unit text, posted numeric, reserved numeric)
  on conflict (program_id, unit) do update set posted = r.posted + excluded.posted, reserved = r.reserved + excluded.reserved;

  insert into rollup_lots as r (program_id, unit, quarter, amount)
    select c.program_id, c.unit::unit, c.quarter, c.amount
    from json_to_recordset(part.lots) c(program_id text, unit text, quarter bigint, amount numeric)
  on conflict (program_id, unit, quarter) do update set amount = r.amount + excluded.amount;
  delete from rollup_lots r
    using json_to_recordset(part.lots) c(program_id text, unit text, quarter bigint)
    where r.program_id = c.program_id and r.unit = c.unit::unit and r.quarter = c.quarter and r.amount = 0;

  insert into rollup_member_lots as r (account, unit, expires_at, amount)
    select c.account, c.unit::unit, c.expires_at, c.amount
    from json_to_recordset(part.member_lots) c(account bigint, unit text, expires_at bigint, amount bigint)
  on conflict (account, unit, expires_at) do update set amount = r.amount + excluded.amount;
  delete from rollup_member_lots r
    using json_to_recordset(part.member_lots) c(account bigint, unit text, expires_at bigint)
    where r.account = c.account and r.unit = c.unit::unit and r.expires_at = c.expires_at and r.amount = 0;

  insert into rollup_activity as r (program_id, unit, location_id, quarter, orders, eligible_spend, issued, redeemed, reversed,
      expired, adjusted)
    select c.program_id, c.unit::unit, c.location_id, c.quarter, c.orders, c.eligible_spend, c.issued, c.redeemed, c.reversed,
      c.expired, c.adjusted
    from json_to_recordset(part.activity) c(program_id text, unit text, location_id text, quarter bigint, orders bigint,
      eligible_spend numeric, issued numeric, redeemed numeric, reversed numeric, expired numeric, adjusted numeric)
  on conflict (program_id, unit, location_id, quarter) do update set orders = r.orders + excluded.orders,
    eligible_spend = r.eligible_spend + excluded.eligible_spend, issued = r.issued + excluded.issued,
    redeemed = r.redeemed + excluded.redeemed, reversed = r.reversed + excluded.reversed,
    expired = r.expired + excluded.expired, adjusted = r.adjusted + excluded.adjusted;

  insert into rollup_joined as r (program_id, quarter, members)
    select c.program_id, c.quarter, c.members
    from json_to_recordset(part.joined) c(program_id text, quarter bigint, members bigint)
  on conflict (program_id, quarter) do update set members = r.members + excluded.members;

  insert into rollup_rewards as r (program_id, span, start, location_id, reward_id, reserved, captured, reversed, expired,
      issued, redeemed)
    select c.program_id, c.span, c.start, c.location_id, c.reward_id, c.reserved, c.captured, c.reversed, c.expired,
      c.issued, c.redeemed
    from json_to_recordset(part.rewards) c(program_id text, span bigint, start bigint, location_id text, reward_id text,
      reserved bigint, captured bigint, reversed bigint, expired bigint, issued bigint, redeemed bigint)
  on conflict (program_id, span, start, location_id, reward_id) do update set reserved = r.reserved + excluded.reserved,
    captured = r.captured + excluded.captured, reversed = r.reversed + excluded.reversed,
    expired = r.expired + excluded.expired, issued = r.issued + excluded.issued, redeemed = r.redeemed + excluded.redeemed;

  update rollup_merges m set into_account = c.into_account
    from json_to_recordset(part.merged) c(account bigint, into_account bigint) where m.into_account = c.account;
  insert into rollup_merges (account, into_account)
    select c.account, c.into_account from json_to_recordset(part.merged) c(account bigint, into_account bigint);

  -- Merges come first: orders and adjustments in the change name the account that has them after all its merges.
  update rollup_orders o set account = c.into_account
    from json_to_recordset(part.merged) c(account bigint, into_account bigint) where o.account = c.account;
  insert into rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by)
    select c.account, c.order_id, c.program_id, c.at, c.location_id, c.business, c.accrued, c.earned_by
    from json_to_recordset(part.orders) c(account bigint, order_id text, program_id text, at bigint, location_id text,
      business bigint, accrued bigint, earned_by bigint);
  -- The last two orders of two sets are among the last two of each.
  with gone as (
    delete from rollup_buyers b using json_to_recordset(part.merged) c(account bigint, into_account bigint)
    where b.account = c.account returning c.into_account, b.*
  )
  insert into rollup_buyers as b (account, program_id, orders, spend, last_order, order_before)
    select a.account, min(a.program_id), sum(a.orders), sum(a.spend), max(a.last_order),
      greatest(max(a.order_before), (array_agg(a.last_order order by a.last_order desc))[2])
    from (
      select g.into_account as account, g.program_id, g.orders, g.spend, g.last_order, g.order_before from gone g
      union all
      select c.account, c.program_id, 1, greatest(0, c.accrued), c.at, null
      from json_to_recordset(part.orders) c(account bigint, program_id text, at bigint, accrued bigint)
    ) a group by a.account
  on conflict (account) do update set orders = b.orders + excluded.orders, spend = b.spend + excluded.spend,
    last_order = greatest(b.last_order, excluded.last_order),
    order_before = greatest(b.order_before, excluded.order_before, least(b.last_order, excluded.last_order));
  insert into rollup_sales as r (program_id, span, start, location_id, orders, spend)
    select c.program_id, c.span, c.start, c.location_id, c.orders, c.spend
    from json_to_recordset(part.sales) c(program_id text, span bigint, start bigint, location_id text, orders bigint,
      spend numeric)
  on conflict (program_id, span, start, location_id) do update set orders = r.orders + excluded.orders,
    spend = r.spend + excluded.spend;
  with before as (
    select o.account, o.order_id, o.spend, c.delta, c.closes
    from json_to_recordset(part.adjusted) c(account bigint, order_id text, delta bigint, closes boolean)
      join rollup_orders o on o.account = c.account and o.order_id = c.order_id
  ), after as (
    update rollup_orders o set delta = o.delta + b.delta, is_closed = o.is_closed or b.closes
    from before b where o.account = b.account and o.order_id = b.order_id
    returning o.account, o.program_id, o.at, o.location_id, o.business, o.spend - b.spend as spend
  ), buyers as (
    update rollup_buyers b set spend = b.spend + a.spend
    from (select account, sum(spend) as spend from after group by account) a where b.account = a.account
  )
  insert into rollup_sales as r (program_id, span, start, location_id, orders, spend)
    select a.program_id, s.span, case when s.span = 0 then a.business else floor(a.at::numeric / s.span) * s.span end,
      coalesce(a.location_id, ''), 0, sum(a.spend)
    from after a, unnest(array[0, 900000, 86400000]) s(span) group by 1, 2, 3, 4
  on conflict (program_id, span, start, location_id) do update set spend = r.spend + excluded.spend;
  return 'changed';
end
$$;

-- Empties the rollups. The service then builds them again from the first record.
create function reset_rollups() returns void language plpgsql as $$
begin
  update rollup_progress set changes = changes + 1, epoch = 0, transaction = '0', account = 0, seq = 0;
  truncate rollup_ladders, member_rollups, rollup_members, rollup_points, rollup_lots, rollup_activity, rollup_joined,
    rollup_sales, rollup_rewards, rollup_member_lots, rollup_orders, rollup_buyers, rollup_merges;
end
$$;

-- All identity values of a member, for the operators' search by a complete value.
create function identity_values(identities jsonb) returns text[] language sql immutable strict parallel safe as $$
  select array(select one ->> 'value' from jsonb_array_elements(identities) one)
$$;
create index members_identity_values on members using gin (identity_values(identities)) with (fastupdate = off);

-- The letters and digits of a member's cards, backwards: the last digits of a card are the beginning of its term.
create function identity_terms(identities jsonb) returns tsvector language sql immutable strict parallel safe as $$
  select coalesce(array_to_tsvector(array_agg('d' || reverse(right(lower(regexp_replace(one ->> 'value', '[^A-Za-z0-9]', '', 'g')), 64)))), '')
  from jsonb_array_elements(identities) one
  where one ->> 'type' in ('loyalty_id', 'external')
$$;
create index members_identity_terms on members using gin (identity_terms(identities)) with (fastupdate = off);
