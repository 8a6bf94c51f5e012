-- Oldest: 0.3.0
-- Products that tills sell (contract/operators.md *Products*), by the service's time, ms since 1970.

create table sold_products (
  program_id text collate "C" not null,
  product_id text collate "C" not null,
  name text,
  category_ids text[],
  last_sold_at bigint not null,
  primary key (program_id, product_id)
);
comment on table sold_products is 'Products of accruals, as nodes noted them: at most 10,000 a programme. For choosing alone: a kill forgets a minute of notes.';
comment on column sold_products.last_sold_at is 'Written again once it is an hour later.';

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'behaviour, behaviour_keys, ', 'behaviour, behaviour_keys, sold_products, ');
begin
  if length(after) <> length(before) + length('sold_products, ') then
    raise exception 'reset_sandbox is not as 0113 has made it';
  end if;
  execute after;
end
$$;
