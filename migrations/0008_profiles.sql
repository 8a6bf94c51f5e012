-- Profiles and consent of members, and what an erasure takes away. Times are milliseconds since 1970, of the service's clock.

create table profiles (
  account bigint primary key,
  program_id text not null,
  member_id text not null,
  external_id text collate "C",
  display_name text,
  name_key text collate "C",
  email text,
  email_key text collate "C",
  phone text,
  birth_date date,
  created_at bigint not null,
  updated_at bigint not null,
  unique (program_id, external_id)
);
comment on table profiles is 'Personal data of members beside identities and attributes; a member without any has no row.';
comment on column profiles.name_key is 'display_name in lower case, for prefix search.';
comment on column profiles.email_key is 'email in lower case.';
comment on column profiles.external_id is 'Its keyed hash is in identities as well, which keeps it unique while records are in flight.';
create index profiles_name on profiles (program_id, name_key) where name_key is not null;
create index profiles_email on profiles (program_id, email_key) where email_key is not null;

create table consents (
  n bigint primary key generated always as identity,
  account bigint not null,
  purpose text not null,
  channel text not null default '',
  granted boolean not null,
  source text,
  recorded_at bigint not null
);
comment on table consents is 'Every consent that was given or withdrawn.';
comment on column consents.channel is 'Empty: the purpose as a whole.';
create index consents_account on consents (account, purpose);

create table current_consents (
  account bigint not null,
  purpose text not null,
  channel text not null,
  granted boolean not null,
  source text,
  recorded_at bigint not null,
  primary key (account, purpose, channel)
);
comment on table current_consents is
  'The newest consent by recorded_at. A later withdrawal of the whole purpose counts for its channels too.';

create table erasures (
  account bigint primary key,
  program_id text not null,
  member_id text not null,
  at bigint not null,
  reason text not null
);
comment on table erasures is 'Accounts whose personal data was erased, those merged into them included.';
create index erasures_member on erasures (member_id);

-- Whoever writes personal data beside the accounts takes this lock shared, and then looks for the account in erasures; an
-- erasure takes it alone. Take it last, or alone in a transaction: nobody who waits for it may hold what another needs.
create function personal_data_lock() returns bigint language sql immutable as 'select 7270008::bigint';
