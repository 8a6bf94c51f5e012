-- Customer engagement: events that marketing systems record for guests. Times are milliseconds since 1970 by the service's
-- clock.

create table behaviour (
  n bigint primary key generated always as identity,
  key uuid not null unique,
  fingerprint uuid not null,
  event_id text not null unique,
  program_id text not null,
  account bigint not null,
  member_id text not null,
  type text not null,
  occurred_at bigint not null,
  recorded_at bigint not null,
  source text,
  value bigint,
  currency text,
  campaign_id text,
  location_id text,
  properties jsonb,
  check ((value is null) = (currency is null))
);
comment on table behaviour is 'Actions of guests that other systems sent to POST /platform/v1/events.';
comment on column behaviour.key is 'Keyed hash of programme and idempotency key, so that an event sent twice gives one row. The row itself is the first answer, and a batch finds and inserts all its events at once.';
comment on column behaviour.fingerprint is 'Keyed hash of the request''s content. Another content with the same key is a conflict.';
comment on column behaviour.account is 'The account for which the event was recorded. A later merge does not change it.';
comment on column behaviour.value is 'Minor units of the currency.';
comment on column behaviour.properties is 'May contain personal data.';
-- Includes the columns that analytics groups by, so that it needs only the index.
create index behaviour_program on behaviour (program_id, occurred_at, n) include (type, account, location_id);
create index behaviour_type on behaviour (program_id, type, occurred_at, n);
create index behaviour_account on behaviour (account, occurred_at, n);
create index behaviour_campaign on behaviour (campaign_id, occurred_at, n) where campaign_id is not null;
