-- Oldest: 0.3.0
-- Deleted orders of a member come back all together or not at all: where the journal lacks the records of some, such as those of
-- a span that is away, their sums stay, and the change that asked for them is not counted.
create or replace function restore_orders(restored json) returns void language plpgsql as $$
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
