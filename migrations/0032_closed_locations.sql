-- Oldest: 0.2.0
-- Restaurants that are closed for good, and the newest order of each (contract/operators.md *Locations*).

alter table locations add column closed boolean not null default false;
comment on column locations.closed is 'True: it is closed for good, and known for what is past alone.';

create index rollup_sales_places on rollup_sales (program_id, location_id, start) where span = 0;
