-- Oldest: 0.3.0
-- Guests who sign in to their programme's page (contract/guests.md *Sessions*).

create table guest_sessions (
  hash bytea primary key,
  program_id text not null,
  account bigint not null,
  began_at bigint not null,
  seen_at bigint not null,
  ends_at bigint not null,
  signed_in_by text not null check (signed_in_by in ('code', 'link', 'phone')),
  fresh_until bigint,
  device text not null
);
comment on table guest_sessions is 'Open sessions of guests. Times are milliseconds since 1970, of the machine''s clock.';
comment on column guest_sessions.hash is 'SHA-256 of the session''s id, which only the cookie has.';
comment on column guest_sessions.account is 'The guest. A merge moves the session to the account that remains.';
comment on column guest_sessions.fresh_until is 'Until then the guest may do what needs a fresh code. Null: a code is needed first.';
create index guest_sessions_account on guest_sessions (account);
create index guest_sessions_over on guest_sessions (ends_at);

create table guest_links (
  hash bytea primary key,
  program_id text not null,
  account bigint not null,
  until bigint not null
);
comment on table guest_links is 'Links by which guests sign in. A row goes when its link is used or over.';
comment on column guest_links.hash is 'SHA-256 of the link''s token.';
create index guest_links_account on guest_links (account);
create index guest_links_over on guest_links (until);

create table guest_settings (
  account bigint primary key,
  language text
);
comment on table guest_settings is 'What guests have chosen on their page.';
comment on column guest_settings.language is 'BCP 47, one of the programme''s page. Null: its first one.';

-- Guests change what is theirs, which the audit tells without naming them. Not validated, because rows of before hold
-- to a narrower check: a scan of the audit would hold up every append that has an entry.
alter table audit drop constraint audit_actor_kind_check;
alter table audit add constraint audit_actor_kind_check
  check (actor_kind in ('root', 'token', 'session', 'user', 'guest', 'system')) not valid;

-- What guests have on their page goes to the account that remains of a merge.
create function merge_guest(of_account bigint, from_account bigint) returns void language sql as $$
  update guest_sessions set account = of_account where account = from_account;
  update guest_links set account = of_account where account = from_account;
  insert into guest_settings (account, language)
    select of_account, s.language from guest_settings s where s.account = from_account
  on conflict (account) do update set language = coalesce(guest_settings.language, excluded.language);
  delete from guest_settings where account = from_account;
$$;

create function erase_guests(accounts_erased bigint[]) returns void language sql as $$
  delete from guest_sessions where account = any(accounts_erased);
  delete from guest_links where account = any(accounts_erased);
  delete from guest_settings where account = any(accounts_erased);
$$;

do $$
declare
  changed record;
  before text;
  after text;
begin
  for changed in
    select * from (values
      ('merge_profile', '  refused := merge_refusals(', '  perform merge_guest(of_account, from_account);' || chr(10)),
      ('erase_personal', '  delete from profiles p where', '  perform erase_guests(accounts_erased);' || chr(10)),
      ('reset_sandbox', 'kept_orders, kept_adjustments, ', 'guest_sessions, guest_links, guest_settings, ')
    ) c(function, place, added)
  loop
    before := pg_get_functiondef(changed.function::regproc);
    after := replace(before, changed.place, changed.added || changed.place);
    if length(after) <> length(before) + length(changed.added) then
      raise exception '% is not as an earlier migration has made it', changed.function;
    end if;
    execute after;
  end loop;
end
$$;
