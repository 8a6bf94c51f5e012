-- Oldest: 0.3.0
-- Orders without a guest by place and time, for figures (contract/engagement.md *Analytics*).

create table kept_sums (
  program_id text not null,
  quarter bigint not null,
  location_id text not null,
  business bigint not null,
  orders bigint not null,
  primary key (program_id, quarter, location_id, business)
);
comment on table kept_sums is 'Kept orders that no guest has. quarter: the quarter of an hour in which they were kept, ms; business: the midnight in UTC of their business date, ms.';
create index kept_sums_business on kept_sums (program_id, business);

-- Adds to the sums of an order's place and time.
create function count_kept(kept kept_orders, change int) returns void language sql as $$
  insert into kept_sums as s (program_id, quarter, location_id, business, orders)
    select kept.program_id, kept.kept_at - kept.kept_at % 900000, b.body #>> '{scope,location_id}',
      (extract(epoch from (b.body ->> 'business_date')::date) * 1000)::bigint, change
    from (select kept.body::json as body) b
  on conflict (program_id, quarter, location_id, business) do update set orders = s.orders + excluded.orders
$$;

-- An order counts while nobody has it. One that is deleted because it is over goes on counting.
create function kept_order_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.state = new.state and old.body = new.body then
      return null;
    end if;
    if old.state = 'open' then
      perform count_kept(old, -1);
    end if;
  end if;
  if new.state = 'open' then
    perform count_kept(new, 1);
  end if;
  return null;
end
$$;
create trigger kept_order_changed after insert or update of state, body on kept_orders
  for each row execute function kept_order_changed();

insert into kept_sums (program_id, quarter, location_id, business, orders)
  select k.program_id, k.kept_at - k.kept_at % 900000, k.body::json #>> '{scope,location_id}',
    (extract(epoch from (k.body::json ->> 'business_date')::date) * 1000)::bigint, count(*)
  from kept_orders k where k.state = 'open' group by 1, 2, 3, 4;

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'kept_orders, kept_adjustments, ', 'kept_orders, kept_adjustments, kept_sums, ');
begin
  if length(after) <> length(before) + length('kept_sums, ') then
    raise exception 'reset_sandbox is not as 0073 has made it';
  end if;
  execute after;
end
$$;
