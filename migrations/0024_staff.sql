-- Oldest: 0.2.0
-- People who sign in as themselves (contract/people.md *Roles*). Times are milliseconds since 1970 by the machine's clock.

create table users (
  user_id text primary key,
  email text not null,
  name text not null,
  role text not null check (role in ('owner', 'manager', 'marketer', 'support', 'analyst', 'developer')),
  programs text[],
  status text not null check (status in ('invited', 'active', 'disabled')),
  created_at bigint not null,
  created_by text not null,
  last_seen_at bigint
);
comment on table users is 'People of the console. None has a password.';
comment on column users.programs is 'The programmes that the user may use. Null: all.';
create unique index users_email on users (lower(email));

create table passkeys (
  passkey_id text primary key,
  user_id text not null references users on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  host text not null,
  name text not null,
  created_at bigint not null,
  last_used_at bigint
);
comment on column passkeys.credential_id is 'The authenticator''s id of the key, base64url.';
comment on column passkeys.counter is 'The authenticator''s count of uses. One that goes back is a copy.';
comment on column passkeys.host is 'The relying party: the host of PROTO_PUBLIC_URL when the key was made. It works for no other.';
create index passkeys_user on passkeys (user_id);

create table invitations (
  user_id text primary key references users on delete cascade,
  hash bytea not null unique,
  ends_at bigint not null
);
comment on table invitations is 'The open invitation of a user: the SHA-256 of its secret. It works once.';

create table challenges (
  hash bytea primary key,
  purpose text not null check (purpose in ('sign_in', 'passkey', 'invitation')),
  user_id text references users on delete cascade,
  network text not null,
  ends_at bigint not null
);
create index challenges_network on challenges (network, ends_at);
comment on table challenges is 'SHA-256 of what an authenticator is asked to sign. Deleted by its first use.';

alter table sessions add column user_id text references users on delete cascade;
alter table sessions add column passkey_id text references passkeys on delete cascade;
alter table sessions add column device text;
alter table sessions add column address text;
comment on column sessions.key_hash is 'Hash of the key that opened the session; when the key ends, the session ends. Of a user''s session zeros, which are no key''s.';
comment on column sessions.user_id is 'Whose session it is. Null: a key''s.';
comment on column sessions.passkey_id is 'The passkey that opened it; when it is removed, the session ends.';
comment on column sessions.device is 'Browser and system, for the user.';
create index sessions_user on sessions (user_id) where user_id is not null;

-- Services read users with the tokens.
create trigger users_changed after insert or delete or update of name, role, programs, status on users
  for each statement execute function raise_tokens_version();

-- The audit names a user and the role. An entry of a user has both in its hash; all other hashes are as before.
alter table audit drop constraint audit_actor_kind_check;
alter table audit add constraint audit_actor_kind_check
  check (actor_kind in ('root', 'token', 'session', 'user', 'system'));
alter table audit add column user_id text;
alter table audit add column role text;
alter table audit add constraint audit_user_check check ((user_id is null) = (role is null));
create index audit_user on audit (user_id, audit_id) where user_id is not null;

create or replace function append_audit(of_chain int, entry jsonb) returns void language plpgsql as $$
declare
  head audit_heads;
  digest bytea;
begin
  select * from audit_heads h where h.chain = of_chain for update into strict head;
  digest := sha256(head.hash || convert_to(
    framed((select secret from installation)) || framed(of_chain::text) || framed((head.n + 1)::text) ||
    framed(entry ->> 'at') || framed(entry ->> 'actor_kind') || framed(entry ->> 'actor_name') ||
    framed(entry ->> 'token_id') || framed(entry ->> 'action') || framed(entry ->> 'subject_type') ||
    framed(entry ->> 'subject_id') || framed(entry ->> 'program_id') || framed(entry ->> 'changes') ||
    framed(entry ->> 'reason') || framed(entry ->> 'source_ip') || framed(entry ->> 'request_id') ||
    case when entry ->> 'user_id' is null then '' else framed(entry ->> 'user_id') || framed(entry ->> 'role') end, 'UTF8'));
  insert into audit (chain, n, at, actor_kind, actor_name, token_id, action, subject_type, subject_id, program_id, changes,
      reason, source_ip, request_id, user_id, role, hash)
    values (of_chain, head.n + 1, (entry ->> 'at')::bigint, entry ->> 'actor_kind', entry ->> 'actor_name',
      entry ->> 'token_id', entry ->> 'action', entry ->> 'subject_type', entry ->> 'subject_id', entry ->> 'program_id',
      entry ->> 'changes', entry ->> 'reason', entry ->> 'source_ip', entry ->> 'request_id', entry ->> 'user_id',
      entry ->> 'role', digest);
  update audit_heads h set n = head.n + 1, hash = digest, seal = head_seal(of_chain, head.n + 1, digest)
    where h.chain = of_chain;
end
$$;
