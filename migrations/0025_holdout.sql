-- Oldest: 0.2.0
-- Somebody held out counts as if it had got something (contract/engagement.md *Holdout*).

drop index campaign_targets_given;
-- How often a member got something of a campaign, or was held out instead.
create index campaign_targets_given on campaign_targets (account, at) where outcome in ('issued', 'holdout');
