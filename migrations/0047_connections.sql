-- Oldest: 0.3.0
-- Connections of tills by their vendors' own contracts (contract/tills.md *Connections*). Times are milliseconds since 1970, of the machine's
-- clock. Connections are configuration: a sandbox that is started over keeps them, and loses what came over them.

create table connections (
  n bigint generated always as identity primary key,
  connection_id text not null unique,
  vendor text not null check (vendor in ('toast', 'olo', 'square')),
  program_id text not null,
  name text not null,
  active boolean not null,
  restaurants jsonb not null,
  unknown_restaurant text not null check (unknown_restaurant in ('accept', 'refuse')),
  settings jsonb not null,
  secret bytea not null,
  secret_last4 text not null,
  previous_secret bytea,
  previous_until bigint,
  version int not null default 1,
  last_seen_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
comment on table connections is 'Estates of a vendor of tills, each joined to one programme.';
comment on column connections.restaurants is 'The table of the vendor''s restaurants and the service''s locations.';
comment on column connections.secret is 'The vendor''s key, encrypted: nonce, authentication tag, ciphertext (src/desk/surface/Sealed.ts).';
comment on column connections.previous_secret is 'The key before, encrypted, which is accepted too until previous_until.';

create table connection_transactions (
  n bigint generated always as identity primary key,
  connection bigint not null references connections on delete cascade,
  transaction_id text not null,
  type text not null,
  check_id text,
  restaurant text,
  state text not null check (state in ('begun', 'done', 'refused', 'kept')),
  request bytea,
  answer jsonb,
  became jsonb,
  reason text,
  at bigint not null,
  ended_at bigint,
  unique (connection, transaction_id),
  check ((state = 'begun') = (request is not null))
);
comment on table connection_transactions is 'What came over connections, written before it is carried out, and kept for 30 days.';
comment on column connection_transactions.state is
  'begun: it may be carried out or not. done, refused: it was answered so. kept: a reversal came before it, so that it will do nothing.';
comment on column connection_transactions.request is 'The request, encrypted, until it has ended.';
comment on column connection_transactions.answer is 'The answer, which a repeat gets too. It names the guest by the member''s id alone.';
comment on column connection_transactions.became is 'The order, its adjustments and the redemptions, as the list shows them.';
create index connection_transactions_list on connection_transactions (connection, n);
create index connection_transactions_check on connection_transactions (connection, check_id) where state = 'begun';
create index connection_transactions_begun on connection_transactions (at) where state = 'begun';
create index connection_transactions_at on connection_transactions (at);

create table connection_checks (
  connection bigint not null references connections on delete cascade,
  check_id text not null,
  facts jsonb not null default '{}',
  holder text,
  held_until bigint not null default 0,
  changed_at bigint not null,
  primary key (connection, check_id)
);
comment on table connection_checks is 'Checks of tills: the order and the redemptions of each, and the turn of the request that works on it.';
comment on column connection_checks.holder is 'The request whose turn it is until held_until.';
create index connection_checks_changed on connection_checks (changed_at);

-- A sandbox that is started over has had no till.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  tables text := 'connection_transactions, connection_checks, ';
  after text := replace(before, 'campaign_targets, ', 'campaign_targets, ' || tables);
begin
  if length(after) <> length(before) + length(tables) then
    raise exception 'reset_sandbox is not as 0038 has made it';
  end if;
  execute after;
  execute 'alter function reset_sandbox(text, bigint, jsonb) security definer';
  execute format('alter function reset_sandbox(text, bigint, jsonb) set search_path = %I, pg_temp', current_schema());
end
$$;
