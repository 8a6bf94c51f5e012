-- Oldest: 0.3.0
-- The role finance (contract/people.md *Roles*). Both tables have a row for a person or a role, so that the check takes no time.

alter table users drop constraint users_role_check,
  add constraint users_role_check check (role in ('owner', 'manager', 'marketer', 'support', 'analyst', 'developer', 'finance'));
alter table role_limits drop constraint role_limits_role_check,
  add constraint role_limits_role_check check (role in ('manager', 'marketer', 'support', 'analyst', 'developer', 'finance'));
