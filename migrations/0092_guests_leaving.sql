-- Oldest: 0.3.0
-- Guests who leave (contract/guests.md *Leaving*).

alter table guest_settings add column leaves_at bigint;
comment on column guest_settings.leaves_at is 'The guest has asked to leave, and everything of hers is erased from then on, ms, by the machine''s clock.';
create index guest_settings_leaves on guest_settings (leaves_at) where leaves_at is not null;

-- Of two who leave, the one who leaves first decides.
create or replace function merge_guest(of_account bigint, from_account bigint) returns void language sql as $$
  update guest_sessions set account = of_account where account = from_account;
  update guest_links set account = of_account where account = from_account;
  update guest_codes set account = of_account where account = from_account;
  insert into guest_settings (account, language, leaves_at)
    select of_account, s.language, s.leaves_at from guest_settings s where s.account = from_account
  on conflict (account) do update set language = coalesce(guest_settings.language, excluded.language),
    leaves_at = least(guest_settings.leaves_at, excluded.leaves_at);
  delete from guest_settings where account = from_account;
$$;
