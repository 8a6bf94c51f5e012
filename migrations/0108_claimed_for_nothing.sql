-- Oldest: 0.3.0
-- Receipts that earn nothing use none of a guest's claims of a day (contract/orders.md *Claiming an order*).

alter table kept_orders add column earned_nothing boolean not null default false;
comment on column kept_orders.earned_nothing is 'It was claimed, and earned nothing. An older node leaves it false.';
