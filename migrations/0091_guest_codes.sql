-- Oldest: 0.3.0
-- Codes by which guests sign in (contract/guests.md *Codes*).

create table guest_codes (
  request bytea primary key,
  program_id text not null,
  purpose text not null check (purpose in ('sign_in', 'fresh', 'email')),
  account bigint,
  code uuid not null,
  sealed bytea not null,
  tries int not null default 0,
  is_right boolean not null default false,
  until bigint not null
);
comment on table guest_codes is 'Codes that were asked for. A row goes once its code has done what it is for, or is over.';
comment on column guest_codes.request is 'SHA-256 of the request''s id, which only its caller has.';
comment on column guest_codes.account is 'The guest who asked. Null: nobody is signed in yet.';
comment on column guest_codes.code is 'Keyed hash of the code and the request''s id. Zeros: no code was mailed, and none works.';
comment on column guest_codes.sealed is 'Encrypted: JSON of the address, the language and what a guest who joins has entered.';
comment on column guest_codes.tries is 'Wrong codes so far.';
comment on column guest_codes.is_right is 'The code was entered. What it is for is not done yet.';
comment on column guest_codes.until is 'Milliseconds since 1970, of the machine''s clock.';
create index guest_codes_over on guest_codes (until);
create index guest_codes_account on guest_codes (account) where account is not null;

create unlogged table guest_counts (
  key uuid primary key,
  began bigint not null,
  count bigint not null
);
comment on table guest_counts is 'Requests of a network, and mails to an address, in the hour that began then, ms, by PostgreSQL''s time. Not logged: a crash may forget it.';
comment on column guest_counts.key is 'Keyed hash of what is counted.';
create index guest_counts_began on guest_counts (began);

create or replace function erase_guests(accounts_erased bigint[]) returns void language sql as $$
  delete from guest_sessions where account = any(accounts_erased);
  delete from guest_links where account = any(accounts_erased);
  delete from guest_settings where account = any(accounts_erased);
  delete from guest_codes where account = any(accounts_erased);
$$;

create or replace function merge_guest(of_account bigint, from_account bigint) returns void language sql as $$
  update guest_sessions set account = of_account where account = from_account;
  update guest_links set account = of_account where account = from_account;
  update guest_codes set account = of_account where account = from_account;
  insert into guest_settings (account, language)
    select of_account, s.language from guest_settings s where s.account = from_account
  on conflict (account) do update set language = coalesce(guest_settings.language, excluded.language);
  delete from guest_settings where account = from_account;
$$;

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  added constant text := 'guest_codes, guest_counts, ';
  after text := replace(before, 'guest_links, ', 'guest_links, ' || added);
begin
  if length(after) <> length(before) + length(added) then
    raise exception 'reset_sandbox is not as 0090 has made it';
  end if;
  execute after;
end
$$;
