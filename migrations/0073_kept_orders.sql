-- Oldest: 0.3.0
-- Orders without a guest, until a guest claims them or they are over (contract/orders.md *Orders without a guest*).

create table kept_orders (
  program_id text not null,
  order_id text not null,
  code uuid not null unique,
  facts uuid not null,
  body text not null,
  state text not null check (state in ('open', 'withdrawn', 'claiming', 'claimed')),
  kept_at bigint not null,
  expires_at bigint not null,
  account bigint,
  claimed_at bigint,
  begun_at bigint,
  actor text,
  primary key (program_id, order_id),
  check ((account is not null) = (state in ('claiming', 'claimed')))
);
comment on table kept_orders is 'Orders without a guest. They hold no personal data.';
comment on column kept_orders.code is 'Keyed hash of the claim code, which follows from the order.';
comment on column kept_orders.facts is 'Fingerprint of the facts by which the order is the same.';
comment on column kept_orders.body is 'JSON of the order. Text, because the order of properties is part of a fingerprint.';
comment on column kept_orders.state is 'claiming: the account has it or asks for it, and accrual or adjustments may be missing.';
comment on column kept_orders.account is 'The account that has the order or asks for it.';
comment on column kept_orders.claimed_at is 'When it was claimed, by the service''s time; null: it accrued otherwise.';
comment on column kept_orders.begun_at is 'Since when it is claiming, by the machine''s time; 0: nobody works on it.';
comment on column kept_orders.actor is 'The caller that claimed it, or adjusted it then.';
create index kept_orders_over on kept_orders (expires_at);
create index kept_orders_begun on kept_orders (begun_at) where state = 'claiming';
create index kept_orders_claimed on kept_orders (account, claimed_at) where claimed_at is not null;

create table kept_adjustments (
  program_id text not null,
  adjustment_id text not null,
  order_id text not null,
  n bigint generated always as identity,
  facts uuid not null,
  body text not null,
  is_open boolean not null default true,
  primary key (program_id, adjustment_id),
  foreign key (program_id, order_id) references kept_orders on delete cascade
);
comment on table kept_adjustments is 'Adjustments of orders without a guest. is_open: it is not posted to a guest yet.';
create index kept_adjustments_order on kept_adjustments (program_id, order_id);

create table kept_orders_read (
  only_one boolean primary key default true check (only_one),
  place text not null
);
comment on table kept_orders_read is 'The place in the feed up to which accruals of kept orders were looked for. No row: no programme keeps orders.';

create unlogged table wrong_claims (
  account bigint primary key,
  began bigint not null,
  count bigint not null
);
comment on table wrong_claims is 'Wrong claim codes of a member in the hour that began then, ms, by PostgreSQL''s time. Not logged: a crash may forget it.';

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  added constant text := 'kept_orders, kept_adjustments, kept_orders_read, wrong_claims, ';
  after text := replace(before, 'behaviour, behaviour_keys, ', 'behaviour, behaviour_keys, ' || added);
begin
  if length(after) <> length(before) + length(added) then
    raise exception 'reset_sandbox is not as 0059 has made it';
  end if;
  execute after;
end
$$;
