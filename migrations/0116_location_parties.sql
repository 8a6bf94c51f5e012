-- Oldest: 0.3.0
-- Whose restaurant it is, and of which brand, from a day on (contract/operators.md *Franchisees and brands*).

alter table locations add column franchisees jsonb, add column brands jsonb;
comment on column locations.franchisees is 'Its franchisees, by rising day: [{"from": "2026-10-15", "franchisee_id": "…"}]. Before the first, and from an entry without id on, none.';
comment on column locations.brands is 'Its brands, by rising day: [{"from": "2026-10-15", "brand_id": "…"}]. Before the first, and from an entry without id on, none.';
