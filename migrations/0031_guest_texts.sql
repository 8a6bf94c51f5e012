-- Oldest: 0.2.0
-- What guests read of a campaign (contract/engagement.md *Texts for guests*).

alter table campaigns add column guest_name text, add column guest_text text;
comment on column campaigns.guest_name is 'Its name as guests read it; null: none. They never read the column name.';
comment on column campaigns.guest_text is 'What guests read of it; null: it is not told to them.';
-- What a member got of all campaigns.
create index campaign_events_received on campaign_events (receiver, at) where outcome = 'issued';
