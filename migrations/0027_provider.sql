-- Oldest: 0.2.0
-- People whom the company's own provider signs in (contract/people.md *OpenID Connect*).

alter table users add column issuer text;
alter table users add column subject text;
alter table users add constraint users_provider_check check ((issuer is null) = (subject is null));
comment on column users.subject is 'Who it is at the provider (issuer, sub). Such a user has no passkeys, and the role that the provider tells.';
create unique index users_provider on users (issuer, subject);

alter table sessions add column ends_at bigint;
alter table sessions add column refresh bytea;
alter table sessions add column refresh_at bigint;
comment on column sessions.ends_at is 'When it ends unless the provider confirms it again. Null: by its age alone.';
comment on column sessions.refresh is 'The provider''s refresh token, sealed.';
comment on column sessions.refresh_at is 'When the provider is asked again.';
create index sessions_refresh on sessions (refresh_at) where refresh_at is not null;

alter table challenges drop constraint challenges_purpose_check;
alter table challenges add constraint challenges_purpose_check
  check (purpose in ('sign_in', 'passkey', 'invitation', 'provider'));
