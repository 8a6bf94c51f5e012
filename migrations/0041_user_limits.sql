-- Oldest: 0.3.0
-- Limits of one person below the role's (contract/operators.md *Limits*). Roles and people are configuration: a sandbox that
-- is started over keeps them.

create table user_limits (
  user_id text primary key references users on delete cascade,
  points_per_action bigint check (points_per_action >= 0),
  points_per_day bigint check (points_per_day >= 0),
  rewards_per_day bigint check (rewards_per_day >= 0),
  orders_moved_per_day bigint check (orders_moved_per_day >= 0)
);
comment on table user_limits is 'What one user may give. Null, or no row: as much as the role. The lesser of the two holds.';
