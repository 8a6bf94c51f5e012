-- Oldest: 0.2.0
-- What promotions gave, from the first record on.

create table rollup_promotions (
  program_id text not null,
  span bigint not null,
  start bigint not null,
  location_id text collate "C" not null,
  promotion_id text collate "C" not null,
  unit unit not null,
  uses bigint not null,
  points numeric not null,
  spend numeric not null,
  primary key (program_id, span, start, location_id, promotion_id, unit)
);
comment on table rollup_promotions is 'Orders that a promotion gave to, by location, time of accrual and interval (as in rollup_sales). Refunds change nothing.';
comment on column rollup_promotions.uses is 'Number of these orders.';
comment on column rollup_promotions.points is 'What it gave, on this unit''s account.';
comment on column rollup_promotions.spend is 'Eligible spend of these orders at their accrual, minor units.';

-- Adds to the sums of promotions what belongs to a change of the rollups, if that was written. Returns `written`.
create function count_promotions(written text, promotions json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if written = 'changed' and json_array_length(promotions) > 0 then
    insert into rollup_promotions as r (program_id, span, start, location_id, promotion_id, unit, uses, points, spend)
      select c.program_id, c.span, c.start, c.location_id, c.promotion_id, c.unit::unit, c.uses, c.points, c.spend
      from json_to_recordset(promotions) c(program_id text, span bigint, start bigint, location_id text, promotion_id text,
        unit text, uses bigint, points numeric, spend numeric)
    on conflict (program_id, span, start, location_id, promotion_id, unit) do update set uses = r.uses + excluded.uses,
      points = r.points + excluded.points, spend = r.spend + excluded.spend;
  end if;
  return written;
end
$$;

create or replace function reset_rollups() returns void language plpgsql as $$
begin
  update rollup_progress set changes = changes + 1, epoch = 0, transaction = '0', account = 0, seq = 0;
  truncate rollup_ladders, member_rollups, rollup_members, rollup_points, rollup_lots, rollup_activity, rollup_joined,
    rollup_sales, rollup_rewards, rollup_member_lots, rollup_orders, rollup_buyers, rollup_merges, rollup_promotions;
end
$$;

select reset_rollups();
