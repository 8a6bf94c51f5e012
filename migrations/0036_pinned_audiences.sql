-- Oldest: 0.2.0
-- Audiences of active campaigns from before a change that somebody who may give must confirm (contract/engagement.md
-- *Changes of an active audience*). Without rows a campaign uses its segments as they are.

create table campaign_audiences (
  campaign_id text not null references campaigns (campaign_id) on delete cascade,
  segment_id text not null,
  rules jsonb,
  version bigint not null,
  primary key (campaign_id, segment_id)
);
comment on column campaign_audiences.rules is 'The rules that the campaign uses; null: the members in campaign_audience_members.';
comment on column campaign_audiences.version is 'The version of the segment that it stands for. Another one in force waits.';

create table campaign_audience_members (
  campaign_id text not null,
  segment_id text not null,
  account bigint not null,
  primary key (campaign_id, segment_id, account),
  foreign key (campaign_id, segment_id) references campaign_audiences on delete cascade
);

-- A sandbox that is started over has no lists of members.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  tables text := 'campaign_audiences, campaign_audience_members, ';
  after text := replace(before, 'campaign_targets, ', 'campaign_targets, ' || tables);
begin
  if length(after) <> length(before) + length(tables) then
    raise exception 'reset_sandbox is not as 0026 has made it';
  end if;
  execute after;
end
$$;
