-- Oldest: 0.3.0
-- The role franchisee (contract/people.md *Roles*). Both tables have a row for a person or a role, so that the check takes no time.

alter table users drop constraint users_role_check, add constraint users_role_check
  check (role in ('owner', 'manager', 'marketer', 'support', 'analyst', 'developer', 'finance', 'franchisee'));
alter table role_limits drop constraint role_limits_role_check, add constraint role_limits_role_check
  check (role in ('manager', 'marketer', 'support', 'analyst', 'developer', 'finance', 'franchisee'));
insert into role_limits (role, points_per_action, points_per_day, rewards_per_day, orders_moved_per_day)
  values ('franchisee', 1000, 5000, 10, 20);
