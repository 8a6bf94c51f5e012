-- Customer engagement: what marketing systems keep here of guests. Times are milliseconds since 1970, of the service's clock.

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
comment on table behaviour is 'What guests did, as other systems tell it: events of POST /platform/v1/events.';
comment on column behaviour.key is 'Keyed hash of programme and idempotency key: two copies of an event make one row.';
comment on column behaviour.fingerprint is 'Keyed hash of the facts under the key.';
comment on column behaviour.account is 'The member that it was recorded for; one that was merged since keeps its events.';
comment on column behaviour.value is 'Minor units of the currency.';
comment on column behaviour.properties is 'May be personal data.';
-- With what analytics counts by, so that it reads the index alone.
create index behaviour_program on behaviour (program_id, occurred_at, n) include (type, account, location_id);
create index behaviour_type on behaviour (program_id, type, occurred_at, n);
create index behaviour_account on behaviour (account, occurred_at, n);
create index behaviour_campaign on behaviour (campaign_id, occurred_at, n) where campaign_id is not null;
