-- Oldest: 0.2.0
-- The deliveries of connectors (contract/events.md *Delivery*). Their times are milliseconds since 1970, of the machine's clock.

alter table connectors
  add column previous_secret bytea,
  add column previous_until bigint,
  add column disabled_reason text check (disabled_reason in ('gone', 'failing')),
  add column last_success_at bigint,
  add column failing_since bigint,
  add column place text,
  add column changes bigint not null default 0;
comment on column connectors.previous_secret is 'The secret before, encrypted, which signs too until previous_until.';
comment on column connectors.disabled_reason is 'Why the service disabled it; null: a caller did.';
comment on column connectors.failing_since is 'The first failed attempt since the last success.';
comment on column connectors.place is
  'The place in the feed (src/feed/Place.ts) up to which each event was delivered, has failed, or has a row in deliveries. '
  'Null: from now on.';
comment on column connectors.changes is
  'Changes of place, deliveries and enabled: who writes them compares and raises it, so that of two writers one reads again.';

create table deliveries (
  n bigint primary key generated always as identity,
  connector bigint not null references connectors (n) on delete cascade,
  event_id text not null,
  event_type text not null,
  place text not null,
  replayed boolean not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts jsonb not null,
  tries smallint not null,
  since bigint,
  next_at bigint,
  last_answer text,
  finished_at bigint,
  check ((finished_at is null) = (status = 'pending'))
);
comment on table deliveries is 'What waits for a connector, what failed for 30 days, and the last successes.';
comment on column deliveries.n is 'The events of a member that wait are in this order.';
comment on column deliveries.place is 'The place after the event, by which it is read again: no event is stored here.';
comment on column deliveries.replayed is 'A replay has read it, so it tells nothing of the member''s events before.';
comment on column deliveries.attempts is 'The newest attempts: at (ms), status, duration_ms, error.';
comment on column deliveries.tries is 'Attempts that count for the pause before the next one.';
comment on column deliveries.since is 'The first attempt since the connector last began to deliver again.';
comment on column deliveries.next_at is 'When it is sent again; null: another event of the member comes before.';
create index deliveries_connector on deliveries (connector, status, n);

create table replays (
  n bigint primary key generated always as identity,
  connector bigint not null references connectors (n) on delete cascade,
  place text,
  until text,
  event_ids text[],
  check ((place is null) = (until is null) and (place is null) <> (event_ids is null))
);
comment on table replays is 'What is to be delivered again: events between two places of the feed, or some whose deliveries are kept.';
comment on column replays.place is 'Up to which each event of it was delivered, has failed, or has a row in deliveries.';

-- A sandbox that is started over has no records for them.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'import_errors, verifications;', 'import_errors, verifications, deliveries, replays;');
begin
  if length(after) <> length(before) + length(', deliveries, replays') then
    raise exception 'reset_sandbox is not as 0014 has made it';
  end if;
  execute after;
end
$$;
