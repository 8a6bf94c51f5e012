-- Oldest: 0.2.0
-- Segments and campaigns that are kept for their history alone (contract/engagement.md *Archive*).

alter table campaigns add column archived_at bigint;
comment on column campaigns.archived_at is 'When it was archived, ms; its status is then draft or paused. Null: it is not.';
alter table segments add column archived_at bigint;
comment on column segments.archived_at is 'When it was archived, ms; null: it is not.';
