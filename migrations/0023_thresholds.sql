-- Oldest: 0.2.0
-- Connectors that are told when a balance crosses an amount (contract/events.md *Thresholds*).

alter table connectors add column thresholds jsonb;
comment on column connectors.thresholds is 'At most 10 {unit, amount}.';

alter table deliveries add column crossing smallint not null default 0;
comment on column deliveries.crossing is '0: the event itself. n: the n-th threshold that it crossed.';
