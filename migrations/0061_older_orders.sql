-- Oldest: 0.3.0
-- Figures of orders are deleted with time; what they come to stays (contract/databases.md *Retention*).

create table rollup_older (
  account bigint primary key,
  program_id text not null,
  removed bigint not null,
  orders bigint not null,
  spend bigint not null,
  last_order bigint,
  order_before bigint
);
comment on table rollup_older is
  'What a member''s orders come to that are deleted from rollup_orders. rollup_buyers includes it. A change of one of them brings all of the member''s back first.';
comment on column rollup_older.removed is 'Number of these orders.';
comment on column rollup_older.orders is 'Those of them that count; spend, last_order and order_before are of these, as in rollup_buyers.';

alter table rollup_progress add column orders_from bigint not null default 0;
comment on column rollup_progress.orders_from is
  'Orders that accrued before were looked at, ms: they are deleted, but for those that a campaign''s report counts, or that do not count and are taken off promotions.';

-- The second of some times, without nulls; null: there is none.
create function second_of(variadic times bigint[]) returns bigint language sql immutable as $$
  select t from unnest(times) t where t is not null order by t desc offset 1 limit 1
$$;

-- Deletes orders that accrued before a time (ms), and adds what they come to: looks at `most` of them, from where it stopped.
-- None while the figures are made anew from earlier records: their changes would bring orders back.
create function forget_orders(before bigint, most bigint) returns table (deleted bigint, more boolean) language plpgsql as $$
declare
  place bigint;
  reached bigint;
  seen bigint;
  reported constant bigint := 90::bigint * 86400000;
begin
  -- Whoever counts meanwhile waits, and then reads again.
  update rollup_progress p set changes = p.changes + 1
    where exists (select from journal j where j.account = p.account and j.seq = p.seq and j.at >= forget_orders.before)
    returning p.orders_from into place;
  if not found then
    return query select 0::bigint, false;
    return;
  end if;
  select max(n.at), count(*) into reached, seen
    from (select o.at from rollup_orders o where o.at >= place and o.at < forget_orders.before order by o.at limit most) n;
  with old as materialized (
    select o.account, o.order_id from rollup_orders o
    where o.at between place and reached
      -- The figures of promotions take these off.
      and (o.counts or o.promotions is null)
      and not exists (select from campaign_targets t where t.account = o.earned_by and t.outcome in ('issued', 'holdout')
        and t.at < o.at and t.at >= o.at - reported)
      and not exists (select from campaign_events e where e.receiver = o.earned_by and e.outcome in ('issued', 'holdout')
        and e.at < o.at and e.at >= o.at - reported)
  ), gone as (
    delete from rollup_orders o using old where o.account = old.account and o.order_id = old.order_id
      returning o.account, o.program_id, o.at, o.spend, o.counts
  ), kept as (
    insert into rollup_older as r (account, program_id, removed, orders, spend, last_order, order_before)
      select g.account, min(g.program_id), count(*), count(*) filter (where g.counts),
        coalesce(sum(g.spend) filter (where g.counts), 0), max(g.at) filter (where g.counts),
        (array_agg(g.at order by g.at desc) filter (where g.counts))[2]
      from gone g group by g.account
    on conflict (account) do update set removed = r.removed + excluded.removed, orders = r.orders + excluded.orders,
      spend = r.spend + excluded.spend, last_order = greatest(r.last_order, excluded.last_order),
      order_before = second_of(r.last_order, r.order_before, excluded.last_order, excluded.order_before)
  )
  select count(*) into deleted from gone;
  more := seen = most;
  -- Orders of one instant that do not fit into a batch stay.
  update rollup_progress p set orders_from = greatest(coalesce(reached, place), case when more and reached = place then place + 1 else 0 end);
  return next;
end
$$;

-- As 0035, with the orders that are deleted.
create or replace function recount_buyers(accounts bigint[]) returns void language sql as $$
  delete from rollup_buyers b where b.account = any(accounts);
  insert into rollup_buyers (account, program_id, orders, spend, last_order, order_before)
    select a.account, min(a.program_id), sum(a.orders), sum(a.spend), max(a.last_order),
      greatest(max(a.order_before), (array_agg(a.last_order order by a.last_order desc))[2])
    from (
      select o.account, o.program_id, 1::bigint as orders, o.spend, o.at as last_order, null::bigint as order_before
        from rollup_orders o where o.account = any(accounts) and o.counts
      union all
      select r.account, r.program_id, r.orders, r.spend, r.last_order, r.order_before
        from rollup_older r where r.account = any(accounts) and r.orders > 0
    ) a group by a.account;
$$;

-- Brings all deleted orders of members back, as they are at the position of the rollups: of each member together or not at all.
-- Where the journal lacks the records of some, such as those of a span that is away, their sums stay, and the change that asked
-- for them is not counted.
create function restore_orders(restored json) returns void language plpgsql as $$
declare
  whole bigint[];
begin
  select array_agg(r.account) into whole
    from json_to_recordset(restored) c(account bigint, orders json) join rollup_older r on r.account = c.account
    where r.removed = (select count(*) from json_to_recordset(c.orders) o(order_id text)
      where not exists (select from rollup_orders p where p.account = c.account and p.order_id = o.order_id));
  delete from rollup_older r where r.account = any(whole);
  with made as (
    insert into rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by, promotions, delta,
        is_closed, counts)
      select c.account, o.order_id, o.program_id, o.at, o.location_id, o.business, o.accrued, o.earned_by, o.promotions, o.delta,
        o.is_closed, not (o.is_closed or o.accrued > 0 and o.accrued + o.delta <= 0)
      from json_to_recordset(restored) c(account bigint, orders json),
        json_to_recordset(c.orders) o(order_id text, program_id text, at bigint, location_id text, business bigint,
          accrued bigint, earned_by bigint, promotions jsonb, delta bigint, is_closed boolean)
      where c.account = any(whole)
    on conflict do nothing returning at
  )
  update rollup_progress p set orders_from = least(p.orders_from, (select min(at) from made));
end
$$;

-- As 0035, for changes of orders that were deleted, too. `restored` is as of `seen`.
create or replace function count_rollups(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint,
  change json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  written text;
begin
  if json_array_length(change->'restored') > 0 then
    perform from rollup_progress p where p.changes = seen for update;
    if not found then
      return 'moved';
    end if;
    perform restore_orders(change->'restored');
  end if;
  written := change_rollups(of_node, seen, epoch, transaction, account, seq, change);
  if written = 'changed' and json_array_length(change->'merged') > 0 then
    with gone as (
      delete from rollup_older b using json_to_recordset(change->'merged') c(account bigint, into_account bigint)
      where b.account = c.account returning c.into_account, b.*
    )
    insert into rollup_older as r (account, program_id, removed, orders, spend, last_order, order_before)
      select g.into_account, min(g.program_id), sum(g.removed), sum(g.orders), sum(g.spend), max(g.last_order),
        greatest(max(g.order_before), (array_agg(g.last_order order by g.last_order desc nulls last))[2])
      from gone g group by g.into_account
    on conflict on constraint rollup_older_pkey do update set removed = r.removed + excluded.removed,
      orders = r.orders + excluded.orders, spend = r.spend + excluded.spend,
      last_order = greatest(r.last_order, excluded.last_order),
      order_before = second_of(r.last_order, r.order_before, excluded.last_order, excluded.order_before);
  end if;
  if written = 'changed' and json_array_length(change->'adjusted') > 0 then
    perform recount_orders(change->'adjusted');
  end if;
  if written = 'changed' and json_array_length(change->'moved') > 0 then
    perform move_orders(change->'moved');
  end if;
  return written;
end
$$;

do $$
declare
  before text := pg_get_functiondef('reset_rollups'::regproc);
  after text := replace(replace(before, 'account = 0, seq = 0;', 'account = 0, seq = 0, orders_from = 0;'),
    'rollup_buyers, ', 'rollup_buyers, rollup_older, ');
begin
  if length(after) <> length(before) + length(', orders_from = 0' || 'rollup_older, ') then
    raise exception 'reset_rollups is not as 0020 has made it';
  end if;
  execute after;
end
$$;
