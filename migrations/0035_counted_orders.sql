-- Oldest: 0.2.0
-- Closed orders, and those of which refunds have left nothing, count in no segment rule and no figure of orders, revenue or
-- average (contract/engagement.md *Analytics*).

-- Whoever counts meanwhile waits, and then reads again.
update rollup_progress set changes = changes + 1;

alter table rollup_orders add column counts boolean not null default true;
comment on column rollup_orders.counts is 'False while the order is closed, or refunds have left nothing of an eligible spend that was above 0.';
drop index rollup_orders_program;
drop index rollup_orders_business;

alter table rollup_activity add column closed bigint not null default 0;
comment on column rollup_activity.closed is
  'How many of the orders that accrued in the quarter do not count now. They stand in the rows of points, whatever accounts there are.';
comment on table rollup_buyers is 'One row for each member with an order that counts: what all these orders come to, so that questions about its last orders need not read them.';
comment on column rollup_sales.orders is 'Orders that count.';

-- Counts the orders of members anew.
create function recount_buyers(accounts bigint[]) returns void language sql as $$
  delete from rollup_buyers b where b.account = any(accounts);
  insert into rollup_buyers (account, program_id, orders, spend, last_order, order_before)
    select o.account, min(o.program_id), count(*), sum(o.spend), max(o.at), (array_agg(o.at order by o.at desc))[2]
    from rollup_orders o where o.account = any(accounts) and o.counts group by o.account;
$$;

-- Counts adjusted orders that do not count any more out, and those that count again in.
create function recount_orders(adjusted json) returns void language plpgsql as $$
declare
  touched bigint[];
begin
  with recounted as (
    update rollup_orders o set counts = not o.counts
      from json_to_recordset(adjusted) c(account bigint, order_id text)
      where o.account = c.account and o.order_id = c.order_id
        and o.counts = (o.is_closed or o.accrued > 0 and o.accrued + o.delta <= 0)
      returning o.account, o.program_id, o.at, o.location_id, o.business, case when o.counts then 1 else -1 end as orders
  ), sales as (
    insert into rollup_sales as r (program_id, span, start, location_id, orders, spend)
      select a.program_id, s.span, case when s.span = 0 then a.business else floor(a.at::numeric / s.span) * s.span end,
        coalesce(a.location_id, ''), sum(a.orders), 0
      from recounted a, unnest(array[0, 900000, 86400000]) s(span) group by 1, 2, 3, 4
    on conflict (program_id, span, start, location_id) do update set orders = r.orders + excluded.orders
  ), activity as (
    insert into rollup_activity as r (program_id, unit, location_id, quarter, orders, eligible_spend, issued, redeemed,
        reversed, expired, adjusted, closed)
      select a.program_id, 'points'::unit, l.location_id, floor(a.at::numeric / 900000) * 900000, 0, 0, 0, 0, 0, 0, 0,
        -sum(a.orders)
      from recounted a, unnest(array['', nullif(a.location_id, '')]) l(location_id) where l.location_id is not null
      group by 1, 3, 4
    on conflict (program_id, unit, location_id, quarter) do update set closed = r.closed + excluded.closed
  )
  select array_agg(distinct account) into touched from recounted;
  if touched is not null then
    perform recount_buyers(touched);
  end if;
end
$$;

create or replace function move_orders(moves json) returns void language plpgsql as $$
declare
  touched bigint[];
begin
  select array_agg(distinct a) into touched
    from json_to_recordset(moves) m(account bigint, to_account bigint), unnest(array[m.account, m.to_account]) a;
  update rollup_orders o set account = m.to_account, earned_by = m.earned_by
    from json_to_recordset(moves) m(account bigint, order_id text, to_account bigint, earned_by bigint)
    where o.account = m.account and o.order_id = m.order_id;
  perform recount_buyers(touched);
end
$$;

-- As change_rollups, for changes that may close or move orders. Both name the accounts that had the orders before the moves.
create or replace function count_rollups(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint,
  change json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  written text := change_rollups(of_node, seen, epoch, transaction, account, seq, change);
begin
  if written = 'changed' and json_array_length(change->'adjusted') > 0 then
    perform recount_orders(change->'adjusted');
  end if;
  if written = 'changed' and json_array_length(change->'moved') > 0 then
    perform move_orders(change->'moved');
  end if;
  return written;
end
$$;

-- What was counted before.
select recount_orders(coalesce((
  select json_agg(json_build_object('account', account, 'order_id', order_id)) from rollup_orders
  where is_closed or accrued > 0 and accrued + delta <= 0), '[]'));

create index rollup_orders_program on rollup_orders (program_id, at) include (account, location_id, spend, counts);
create index rollup_orders_business on rollup_orders (program_id, business) include (account, location_id, counts);
