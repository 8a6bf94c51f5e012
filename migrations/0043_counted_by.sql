-- Oldest: 0.2.0
-- Who was counted for what a campaign may give: whoever else gives it another audience or another gift is counted for the rest.

alter table campaigns add column counted_by text;
comment on column campaigns.counted_by is 'The user or key that was counted last; null before, and once somebody else changed what the campaign gives or to whom.';
