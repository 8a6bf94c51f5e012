-- Oldest: 0.3.0
-- Adjustments at a restaurant are found among all entries: they alone are in the index.
create index audit_places on audit ((changes::jsonb #>> '{after,location_id}'), audit_id) where action = 'member.adjust';
