-- Oldest: 0.2.0
-- Moved orders have a count a day of their own, and a campaign counts its limit once (contract/operators.md *Limits*).

alter table role_limits add column orders_moved_per_day bigint check (orders_moved_per_day >= 0);
update role_limits set orders_moved_per_day = case role when 'support' then 20 else 500 end where role in ('support', 'manager');

alter table given_days add column moves bigint not null default 0;
alter table given_commands add column moves bigint not null default 0;
comment on table given_days is
  'What a user has caused on a day of the programme''s zone: points of all units, rewards, and orders moved.';

alter table campaigns add column counted_points bigint not null default 0, add column counted_rewards bigint not null default 0;
comment on column campaigns.counted_points is
  'Points of its limit that activations have counted for somebody; another activation counts what is more.';
comment on column campaigns.counted_rewards is 'The same of rewards.';
update campaigns set
  counted_points = least(9007199254740991, coalesce(limit_amount::numeric, limit_rewards::numeric * (action -> 'credit' ->> 'amount')::numeric, 0))::bigint,
  counted_rewards = case when action ? 'credit' then 0 else coalesce(limit_rewards, 0) end
  where status <> 'draft';
