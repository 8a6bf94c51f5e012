-- Oldest: 0.2.0
-- Closed orders count in no figure of promotions (contract/operators.md *Promotions*).

alter table rollup_orders add column promotions jsonb;
comment on column rollup_orders.promotions is
  'JSON: [id, unit, points] of each promotion that gave to it. No verification compares it. Null: a version before 0.4 counted it.';

do $$
declare
  before text := pg_get_functiondef('change_rollups'::regproc);
  after text := replace(replace(replace(before,
    'location_id, business, accrued, earned_by)', 'location_id, business, accrued, earned_by, promotions)'),
    'c.business, c.accrued, c.earned_by', 'c.business, c.accrued, c.earned_by, c.promotions'),
    'business bigint, accrued bigint, earned_by bigint)', 'business bigint, accrued bigint, earned_by bigint, promotions jsonb)');
begin
  if length(after) <> length(before) + length(', promotions' || ', c.promotions' || ', promotions jsonb') then
    raise exception 'change_rollups is not as 0006 has made it';
  end if;
  execute after;
end
$$;

create index rollup_orders_uncounted on rollup_orders (program_id, at) where not counts;
