-- Oldest: 0.3.0
-- A campaign's report counts the orders in the days after a member was reached. Apart from 0061, which locks the rollups' progress:
-- figures go on while the index is made.
create index campaign_events_counted on campaign_events (receiver, at) where outcome in ('issued', 'holdout');
drop index campaign_events_received;
