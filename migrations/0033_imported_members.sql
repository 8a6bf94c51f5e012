-- Oldest: 0.2.0
-- Campaigns from before that welcome new members go on counting those whom an import enrols.

update campaigns set trigger = trigger || '{"include_imports": true}'::jsonb
  where trigger ->> 'on' = 'member.enrolled';
