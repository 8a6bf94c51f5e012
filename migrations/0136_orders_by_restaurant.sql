-- Oldest: 0.3.0
-- A restaurant's orders of a day are found among those of all restaurants. The new index is built first: its lock lets readers go
-- on, and the writer of the rollups waits, no till. The lock that the old one's end takes is held for a moment.
create index rollup_orders_places on rollup_orders (program_id, business, location_id);
drop index rollup_orders_business;
