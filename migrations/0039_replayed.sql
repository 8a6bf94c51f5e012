-- Oldest: 0.2.0
-- Deliveries say which replay has read them, so that after a kill a replay sends nothing again that was delivered.

alter table deliveries add column replay bigint;
comment on column deliveries.replay is 'The replay that has read it; null: the feed gave it, or it is of before 0.4.';
