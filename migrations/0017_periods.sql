-- Oldest: 0.2.0
-- The rollups count the last tier period beside the present one, from the first record on.

comment on column member_rollups.tier_id is
  'The member''s tier in tier_period, as src/rollups/Ladder.ts has it. Empty: the programme has no tiers.';
comment on column member_rollups.units is
  'JSON: [unit, posted, reserved, lifetime, qualified] of every unit; with a last tier period also its amount and start.';

select reset_rollups();
