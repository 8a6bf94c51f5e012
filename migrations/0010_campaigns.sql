-- Campaigns: what a segment's members are given, and what became of each. Times are milliseconds since 1970, of the
-- service's clock.

create table campaigns (
  n bigint primary key generated always as identity,
  campaign_id text not null unique,
  program_id text not null,
  name text not null,
  segment_id text not null,
  action jsonb not null,
  starts_at bigint,
  ends_at bigint,
  cron text,
  time_zone text,
  holdout_percent int not null check (holdout_percent between 0 and 90),
  limit_rewards bigint,
  limit_amount bigint,
  attribution_days int not null,
  status text not null check (status in ('draft', 'active', 'paused')),
  next_at bigint,
  version bigint not null default 1,
  created_at bigint not null,
  updated_at bigint not null,
  check ((cron is null) = (time_zone is null))
);
comment on table campaigns is 'What the members of a segment are given, and when. What is shown as scheduled, completed or expired follows from the other columns.';
comment on column campaigns.action is 'JSON: {issue_reward: {…}} or {credit: {…}}. A run keeps the one that it began with.';
comment on column campaigns.limit_amount is 'Points, of all runs together.';
comment on column campaigns.next_at is 'The next occurrence of the schedule; null: none, or the campaign is not active.';
create index campaigns_program on campaigns (program_id, n);
create index campaigns_segment on campaigns (segment_id);
create index campaigns_next on campaigns (next_at) where next_at is not null;

create table campaign_runs (
  n bigint primary key generated always as identity,
  run_id text not null unique,
  campaign_id text not null references campaigns (campaign_id),
  run_key text,
  scope bigint not null,
  segment_id text not null,
  action jsonb not null,
  selected_to bigint not null default 0,
  is_selected boolean not null default false,
  done_to bigint not null default 0,
  selected bigint not null default 0,
  issued bigint not null default 0,
  skipped bigint not null default 0,
  failed bigint not null default 0,
  holdout bigint not null default 0,
  limit_reached boolean not null default false,
  started_by text,
  started_at bigint not null,
  completed_at bigint
) with (fillfactor = 50);
comment on table campaign_runs is 'Runs of campaigns. One without completed_at goes on by itself on one node at a time, while its campaign is active.';
comment on column campaign_runs.scope is 'The first run of the campaign with this key, or without one: a member is given something once in a scope.';
comment on column campaign_runs.started_by is 'The name of the caller that started it; null: the schedule.';
comment on column campaign_runs.selected_to is 'Members up to this account have been selected.';
comment on column campaign_runs.done_to is 'Selected members up to this account have their outcome.';
create index campaign_runs_campaign on campaign_runs (campaign_id, n);
create unique index campaign_runs_going on campaign_runs (scope) where completed_at is null;

create table campaign_targets (
  run bigint not null references campaign_runs (n),
  account bigint not null,
  scope bigint not null,
  member_id text not null,
  outcome text check (outcome in ('issued', 'skipped', 'failed', 'holdout')),
  code text,
  at bigint,
  primary key (run, account)
);
comment on table campaign_targets is 'The members that a run selected, and what became of each; no outcome: it is still to come.';
comment on column campaign_targets.code is 'Why nothing was given.';
-- A member is given something once in a scope.
create unique index campaign_targets_issued on campaign_targets (scope, account) where outcome = 'issued';

-- Writes what became of members of a run, `code` null or why. Returns 'replaced' where of_node (null: not compared) is
-- declared dead; then nothing was written. `done` is the account up to which all have an outcome now,
-- null: as before. Where `completes`, the run ends.
create function record_campaign_outcomes(of_node text, of_run bigint, done bigint, now bigint, outcomes json,
  reached_limit boolean, completes boolean)
returns text language plpgsql as $$
declare
  counts record;
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  with written as (
    update campaign_targets t set outcome = o.outcome, code = o.code, at = now
      from json_to_recordset(outcomes) o(account bigint, outcome text, code text)
      where t.run = of_run and t.account = o.account and t.outcome is null
      returning t.outcome
  )
  select count(*) filter (where outcome = 'issued') as issued, count(*) filter (where outcome = 'skipped') as skipped,
      count(*) filter (where outcome = 'failed') as failed, count(*) filter (where outcome = 'holdout') as holdout
    into counts from written;
  update campaign_runs r set issued = r.issued + counts.issued, skipped = r.skipped + counts.skipped,
      failed = r.failed + counts.failed, holdout = r.holdout + counts.holdout, done_to = greatest(r.done_to, done),
      limit_reached = r.limit_reached or reached_limit,
      completed_at = case when completes then coalesce(r.completed_at, now) else r.completed_at end
    where r.n = of_run;
  return 'recorded';
end
$$;
