-- Oldest: 0.2.0
-- Days of limits end by the zone that they began in (contract/operators.md *Limits*): another zone makes no fresh day.

alter table given_days add column ends_at bigint;
comment on column given_days.ends_at is 'End of the day, ms. It counts until then, whatever date it is by another zone. Null: counted before version 0.4.';
