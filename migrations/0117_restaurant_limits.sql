-- Oldest: 0.3.0
-- Tokens and people that are limited to restaurants (contract/people.md *Limited to restaurants*).

alter table tokens add column location_ids text[], add column franchisee_ids text[], add column brand_ids text[];
alter table users add column location_ids text[], add column franchisee_ids text[], add column brand_ids text[];
comment on column tokens.location_ids is 'The restaurants that the token is limited to. Null: all. A restaurant must be within each of the three limits.';
comment on column users.location_ids is 'The restaurants that the user is limited to. Null: all. A restaurant must be within each of the three limits.';

drop trigger users_changed on users;
create trigger users_changed
  after insert or delete or update of name, role, programs, status, location_ids, franchisee_ids, brand_ids on users
  for each statement execute function raise_tokens_version();

-- Services know the restaurants of limited callers by the day.
create trigger locations_changed after insert or delete or update of franchisees, brands on locations
  for each statement execute function raise_tokens_version();

-- Called before a limit is stored: from then on no older version starts, which would not hold to it. Of the owner: the service's role only
-- reads migrations.
create function bar_nodes_without_limits() returns void language sql security definer set search_path from current as $$
  insert into migrations (name, checksum, oldest) values ('restaurant limits', 'restaurant limits', '0.4.0') on conflict do nothing;
$$;
revoke all on function bar_nodes_without_limits() from public;
