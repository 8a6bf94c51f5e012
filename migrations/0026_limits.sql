-- Oldest: 0.2.0
-- What people may give (contract/operators.md *Limits*). Times are milliseconds since 1970 by the machine's clock.

create table role_limits (
  role text primary key check (role in ('manager', 'marketer', 'support', 'analyst', 'developer')),
  points_per_action bigint check (points_per_action >= 0),
  points_per_day bigint check (points_per_day >= 0),
  rewards_per_day bigint check (rewards_per_day >= 0)
);
comment on table role_limits is 'What a user of a role may give. Null, or no row: as much as the programme allows. Owners have none.';

insert into role_limits (role, points_per_action, points_per_day, rewards_per_day)
  values ('support', 1000, 5000, 10), ('manager', 50000, 500000, 500);

create table given_days (
  user_id text not null references users on delete cascade,
  program_id text not null,
  day date not null,
  points bigint not null,
  rewards bigint not null,
  primary key (user_id, program_id, day)
);
comment on table given_days is 'What a user has given on a day of the programme''s zone: points of all units, and rewards.';

create table given_commands (
  command uuid primary key,
  user_id text not null references users on delete cascade,
  program_id text not null,
  day date not null,
  points bigint not null,
  rewards bigint not null,
  at bigint not null,
  running int not null default 1,
  repeats int not null default 0,
  is_done boolean not null default false
);
comment on table given_commands is
  'Commands that given_days counts, so that a retry counts once. One that was refused is removed. One whose outcome is unknown stays.';
comment on column given_commands.command is 'Hash of the user, the business identifier and the facts.';
comment on column given_commands.at is 'When a request with it began last.';
comment on column given_commands.running is 'Requests that have begun and not ended. One that died with its service counts until `at` is old.';
comment on column given_commands.repeats is 'Requests with it after the first.';
create index given_commands_user on given_commands (user_id, at);

-- A sandbox that is started over has nothing that was given.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  tables text := 'given_days, given_commands, ';
  after text := replace(before, 'campaign_targets, ', 'campaign_targets, ' || tables);
begin
  if length(after) <> length(before) + length(tables) then
    raise exception 'reset_sandbox is not as 0021 has made it';
  end if;
  execute after;
end
$$;
