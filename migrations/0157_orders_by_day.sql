-- Oldest: 0.3.0
-- rollup_orders_places (0136) takes its place. The lock is held for a moment.
drop index rollup_orders_business;
