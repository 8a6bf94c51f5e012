-- Oldest: 0.3.0
-- A restaurant's orders of a day are found among those of all restaurants. Its lock lets readers go on, and the writer of the
-- rollups waits, no till. 0157 drops the index whose place it takes: a wait for that lock must not undo this one.
create index rollup_orders_places on rollup_orders (program_id, business, location_id);
