-- Tables of the operators' API: tokens, sessions, first results of keyed requests, and the audit log.
-- Times are milliseconds since 1970 by the machine's clock, also in sandboxes.

create table tokens (
  token_id text primary key,
  name text not null,
  scopes text[] not null,
  programs text[],
  issuer text,
  created_at bigint not null,
  created_by text not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
comment on table tokens is 'Issued tokens. Keys that the environment sets are not stored here.';
comment on column tokens.programs is 'The programmes that the token may use. Null: all.';
comment on column tokens.issuer is 'The token that issued this one; when it ends, this one ends too. Null: the admin key. A key of the environment: env- and its hash.';
create index tokens_issuer on tokens (issuer);

create table token_secrets (
  hash bytea primary key,
  token_id text not null references tokens,
  hint text not null,
  ends_at bigint
);
comment on table token_secrets is 'SHA-256 of each secret of a token. ends_at: when a rotated secret stops working; null: the newest secret.';
create unique index token_secrets_newest on token_secrets (token_id) where ends_at is null;
create index token_secrets_token on token_secrets (token_id);

create table token_addresses (
  token_id text not null,
  address text not null,
  first_used_at bigint not null,
  primary key (token_id, address)
);
comment on table token_addresses is 'Addresses from which a token was used; of IPv6 the /64 prefix.';

alter table installation add column tokens_version bigint not null default 0;
comment on column installation.tokens_version is 'Raised by every change of tokens, so that services read the tokens into memory again.';

create function raise_tokens_version() returns trigger language plpgsql as $$
begin
  update installation set tokens_version = tokens_version + 1;
  return null;
end
$$;
create trigger tokens_changed after insert or delete or update of expires_at, revoked_at on tokens
  for each statement execute function raise_tokens_version();
create trigger token_secrets_changed after insert or update or delete on token_secrets
  for each statement execute function raise_tokens_version();

create table sessions (
  hash bytea primary key,
  key_hash bytea not null,
  began_at bigint not null,
  seen_at bigint not null
);
comment on table sessions is 'hash: SHA-256 of the id in the cookie. key_hash: hash of the key that opened the session; when the key ends, the session ends.';

-- What the nodes count together, for a minute. Not logged: a crash may forget it.
create unlogged table rate_windows (
  token text not null,
  budget text not null,
  began bigint not null,
  count bigint not null,
  primary key (token, budget)
) with (fillfactor = 50);
comment on table rate_windows is 'Requests of a token, or of a session, in the window that began then, by PostgreSQL''s time.';

create unlogged table wrong_keys (
  network text not null,
  key text not null,
  node text not null,
  at bigint not null,
  primary key (network, key)
);
comment on table wrong_keys is 'Wrong keys of the last minute. key: SHA-256 of a bearer token, or a random name; node: the one that was asked; at: by PostgreSQL''s time.';

create table keyed_requests (
  key uuid primary key,
  fingerprint uuid not null,
  named text[] not null,
  at bigint not null,
  status smallint not null,
  body text not null,
  members text[] not null
);
comment on table keyed_requests is 'First results of requests with an Idempotency-Key, without secrets. A request that still runs has no row: its transaction holds a lock.';
comment on column keyed_requests.key is 'Keyed hash of caller, route and idempotency key.';
comment on column keyed_requests.fingerprint is 'Keyed hash of the request. It stays when the body is erased.';
comment on column keyed_requests.named is 'Member ids in the request, in order. The fingerprint leaves them out: each stands for the member that it leads to.';
comment on column keyed_requests.members is 'Member ids in request and body, which may hold personal data of theirs.';
create index keyed_requests_at on keyed_requests (at);
create index keyed_requests_members on keyed_requests using gin (members) with (fastupdate = off);

create table audit (
  chain smallint not null,
  n bigint not null,
  audit_id bigint not null generated always as identity unique,
  at bigint not null,
  actor_kind text not null check (actor_kind in ('root', 'token', 'session', 'system')),
  actor_name text not null,
  token_id text,
  action text not null,
  subject_type text not null,
  subject_id text not null,
  program_id text,
  changes text,
  reason text,
  source_ip text,
  request_id text,
  hash bytea not null,
  primary key (chain, n)
);
comment on table audit is 'The audit log, append-only. chain 0: changes, each in the transaction of the change. chain 1: the first use of a token from each address.';
comment on column audit.changes is 'JSON: the values before and after the change.';
comment on column audit.hash is 'SHA-256 of the previous entry''s hash and this entry: see append_audit.';
create index audit_actor on audit (actor_name, audit_id);
create index audit_action on audit (action, audit_id);
create index audit_subject on audit (subject_id, audit_id);
create index audit_program on audit (program_id, audit_id);
create index audit_at on audit (at);
create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function refuse_change();

create table audit_heads (
  chain smallint primary key,
  n bigint not null,
  hash bytea not null,
  seal bytea not null
) with (fillfactor = 10);
comment on table audit_heads is 'The newest entry of each chain.';
comment on column audit_heads.seal is 'head_seal of the row, so that whoever cuts off the newest entries cannot make an earlier one the head.';

create function head_seal(of_chain int, n bigint, hash bytea) returns bytea language sql stable as $$
  select keyed_hash('audit head', of_chain::text, n::text, encode(hash, 'hex'))
$$;
insert into audit_heads values (0, 0, '', head_seal(0, 0, '')), (1, 0, '', head_seal(1, 0, ''));

-- Appends an entry to a chain. The chain stays locked until the transaction ends. Call it last in a transaction: then a
-- transaction that waits for the chain cannot hold a lock that this one still needs.
create function append_audit(of_chain int, entry jsonb) returns void language plpgsql as $$
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
    framed(entry ->> 'reason') || framed(entry ->> 'source_ip') || framed(entry ->> 'request_id'), 'UTF8'));
  insert into audit (chain, n, at, actor_kind, actor_name, token_id, action, subject_type, subject_id, program_id, changes,
      reason, source_ip, request_id, hash)
    values (of_chain, head.n + 1, (entry ->> 'at')::bigint, entry ->> 'actor_kind', entry ->> 'actor_name',
      entry ->> 'token_id', entry ->> 'action', entry ->> 'subject_type', entry ->> 'subject_id', entry ->> 'program_id',
      entry ->> 'changes', entry ->> 'reason', entry ->> 'source_ip', entry ->> 'request_id', digest);
  update audit_heads h set n = head.n + 1, hash = digest, seal = head_seal(of_chain, head.n + 1, digest)
    where h.chain = of_chain;
end
$$;
