-- Connectors to other systems, and imports of members. Times are milliseconds since 1970, of the service's clock.

create table connectors (
  n bigint primary key generated always as identity,
  connector_id text not null unique,
  name text not null,
  type text not null check (type = 'webhook'),
  url text not null,
  event_types text[] not null check (cardinality(event_types) > 0),
  program_ids text[] check (cardinality(program_ids) > 0),
  include_artifacts boolean not null,
  max_in_flight smallint not null,
  enabled boolean not null,
  secret bytea,
  secret_last4 text,
  version bigint not null default 1,
  created_at bigint not null,
  updated_at bigint not null,
  check ((secret is null) = (secret_last4 is null))
);
comment on table connectors is 'Where events are delivered to.';
comment on column connectors.program_ids is 'Null: all.';
comment on column connectors.secret is 'What signs deliveries, encrypted: nonce, authentication tag, ciphertext (src/connectors/Sealed.ts).';

create table imports (
  n bigint primary key generated always as identity,
  import_id text not null unique,
  fingerprint uuid not null,
  program_id text not null,
  submitted int not null,
  created int not null default 0,
  updated int not null default 0,
  failed int not null default 0,
  created_by text not null,
  created_at bigint not null,
  completed_at bigint
);
comment on table imports is 'Imports of members, without their rows.';
comment on column imports.import_id is 'Hash of programme and idempotency key.';
comment on column imports.fingerprint is 'Keyed hash of the rows.';
comment on column imports.created_by is 'The name of the caller that began it.';
comment on column imports.completed_at is 'Null: under way, or cut off; the same rows with the same key go on.';
create index imports_program on imports (program_id, n);

create table import_rows (
  import bigint not null references imports,
  row int not null,
  outcome text not null check (outcome in ('created', 'updated', 'failed')),
  primary key (import, row)
);
comment on table import_rows is 'Rows that an import under way has done, which it does not do again; gone when it is complete.';

create table import_errors (
  import bigint not null references imports,
  n int not null,
  row int not null,
  path text not null,
  code text not null,
  detail text not null,
  primary key (import, row, n)
);
comment on table import_errors is 'What was wrong with rows; no cell of any is in it.';
