-- Oldest: 0.3.0
-- Targets of campaigns that have ended are deleted with time, but for those that got something or were held out
-- (contract/databases.md *Retention*).

alter table campaign_runs add column emptied_to bigint default 0;
comment on column campaign_runs.emptied_to is
  'Of targets up to this account only those are kept that got something or were held out. Null: of all. It is 0 until the campaign has ended long ago.';
create index campaign_runs_kept on campaign_runs (completed_at) where emptied_to is not null;
