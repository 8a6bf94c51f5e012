-- Oldest: 0.2.0
-- Campaigns that events trigger (contract/engagement.md *Triggers*). Their times are milliseconds since 1970, of the
-- service's clock.

alter table campaigns
  add column trigger jsonb,
  add column frequency jsonb,
  add column place text,
  add column triggered_grants bigint not null default 0,
  add column triggered_points bigint not null default 0;
comment on column campaigns.segment_id is 'Empty: a campaign with a trigger, for anybody.';
comment on column campaigns.trigger is 'JSON: on, where, delay_seconds, once, to. Null: the campaign has runs.';
comment on column campaigns.place is
  'The place in the feed (src/feed/Place.ts) up to which each event that it sees has a row in campaign_events. Null: it reads nothing.';
comment on column campaigns.triggered_grants is 'Events that gave something.';
comment on column campaigns.triggered_points is 'Points that they credited.';

create table campaign_windows (
  campaign_id text not null references campaigns (campaign_id),
  began pg_snapshot not null,
  began_epoch int not null,
  ended pg_snapshot,
  ended_epoch int,
  check ((ended is null) = (ended_epoch is null))
);
comment on table campaign_windows is
  'When a campaign with a trigger was active: it sees records that were not committed at began, and were at ended. Older ones go once they are read.';
create unique index campaign_windows_open on campaign_windows (campaign_id) where ended is null;
create index campaign_windows_campaign on campaign_windows (campaign_id);

create table campaign_events (
  n bigint primary key generated always as identity,
  campaign_id text not null references campaigns (campaign_id),
  event_id text not null,
  account bigint not null,
  order_id text,
  occurred_at bigint not null,
  due_at bigint not null,
  action jsonb not null,
  begun boolean not null default false,
  receiver bigint,
  outcome text check (outcome in ('issued', 'skipped', 'failed', 'holdout')),
  code text,
  at bigint,
  unique (campaign_id, event_id),
  check ((outcome is null) = (at is null))
) with (fillfactor = 80);
comment on table campaign_events is 'Events that triggered a campaign, and what became of each; no outcome: it is still to come.';
comment on column campaign_events.account is 'The member of the event.';
comment on column campaign_events.order_id is 'The order, if the event is of one.';
comment on column campaign_events.action is 'What is given, as the campaign had it when the event was read.';
comment on column campaign_events.begun is 'The worker may have given it. It records that before it gives anything else.';
comment on column campaign_events.receiver is 'Who got it, or is held out.';
create index campaign_events_due on campaign_events (campaign_id, due_at, n) where outcome is null and not begun;
create index campaign_events_begun on campaign_events (campaign_id, n) where outcome is null and begun;
create index campaign_events_reached on campaign_events (campaign_id, account, at) where outcome in ('issued', 'holdout');
create index campaign_events_given on campaign_events (campaign_id, receiver, at) where outcome in ('issued', 'holdout');
-- How often a member got something of a campaign.
create index campaign_targets_given on campaign_targets (account, at) where outcome = 'issued';

-- Writes what became of events of a campaign. Returns 'replaced' where of_node (null: not compared) is declared dead;
-- then nothing was written.
create function record_campaign_events(of_node text, of_campaign text, now bigint, outcomes json)
returns text language plpgsql as $$
declare
  given record;
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  with written as (
    update campaign_events e set outcome = o.outcome, code = o.code, receiver = o.receiver, at = now
      from json_to_recordset(outcomes) o(n bigint, outcome text, code text, receiver bigint)
      where e.n = o.n and e.campaign_id = of_campaign and e.outcome is null
      returning e.outcome, e.action
  )
  select count(*) as grants, coalesce(sum((w.action -> 'credit' ->> 'amount')::bigint), 0) as points
    into given from written w where w.outcome = 'issued';
  if given.grants > 0 then
    update campaigns c set triggered_grants = c.triggered_grants + given.grants,
        triggered_points = c.triggered_points + given.points
      where c.campaign_id = of_campaign;
  end if;
  return 'recorded';
end
$$;

-- A sandbox that is started over has no events, and its campaigns read nothing until they are active again.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  tables text := 'campaign_events, campaign_windows, ';
  places text := 'update campaigns set place = null, triggered_grants = 0, triggered_points = 0;' || E'\n  ';
  after text := replace(replace(before, 'campaign_targets, ', 'campaign_targets, ' || tables),
    'update segments set members = 0', places || 'update segments set members = 0');
begin
  if length(after) <> length(before) + length(tables) + length(places) then
    raise exception 'reset_sandbox is not as 0014 has made it';
  end if;
  execute after;
end
$$;
