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
comment on column profiles.name_key is 'display_name in lower case and without accents, for search.';
comment on column profiles.email_key is 'email in lower case and without accents, for search.';
comment on column profiles.external_id is 'Its keyed hash is in identities as well, which keeps it unique while records are in flight.';
-- What a search finds beside the beginnings of columns: each word of the name, and the telephone number backwards, so that
-- its last digits are the beginning of its term.
create function profile_terms(name_key text, phone text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(
    array(select 'n' || left(word, 64) from regexp_split_to_table(coalesce(name_key, ''), '[\s.,''’()-]+') word where word <> '')
    || case when phone is null then '{}'::text[] else array['d' || reverse(regexp_replace(phone, '[^0-9]', '', 'g'))] end)
$$;
create index profiles_terms on profiles using gin (profile_terms(name_key, phone)) with (fastupdate = off);
create index profiles_name on profiles (program_id, name_key) where name_key is not null;
create index profiles_email on profiles (program_id, email_key) where email_key is not null;

create table consents (
  n bigint primary key generated always as identity,
  account bigint not null,
  purpose text not null,
  channel text not null default '',
  granted boolean not null,
  source text,
  recorded_at bigint not null,
  received_at bigint not null,
  recorded_by text,
  member_id text not null
);
comment on column consents.received_at is 'When the service recorded it. recorded_at may be earlier.';
comment on column consents.recorded_by is 'The name of the caller. Null: the service itself.';
comment on column consents.member_id is 'The member who decided: after a merge, not the one of the account.';
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
create index current_consents_granted on current_consents (purpose, account) where granted and channel = '';
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

comment on column behaviour.fingerprint is 'Keyed hash of the facts under the key, but the member. It stays when the properties are erased.';

-- The same JSON without what may be personal data of a member.
create function without_personal(body jsonb) returns jsonb language plpgsql immutable as $$
begin
  case jsonb_typeof(body)
    when 'object' then
      return (
        select coalesce(jsonb_object_agg(f.key,
          case when f.key in ('identities', 'consents') then '[]' else without_personal(f.value) end), '{}')
        from jsonb_each(body) f
        where f.key <> all('{attributes,external_id,display_name,email,phone,birth_date,consent,profile,properties}')
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(without_personal(e.value) order by e.place), '[]')
        from jsonb_array_elements(body) with ordinality e(value, place)
      );
    else
      return body;
  end case;
end
$$;

-- Keeps the first result of a keyed request, without personal data of members that were erased meanwhile.
create function keep_result(of_key uuid, of_fingerprint uuid, of_named text[], kept_at bigint, of_status int, of_body text,
  of_members text[])
returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(personal_data_lock());
  insert into keyed_requests (key, fingerprint, named, at, status, body, members)
    values (of_key, of_fingerprint, of_named, kept_at, of_status,
      case when exists (select from erasures e where e.member_id = any(of_members))
        then without_personal(of_body::jsonb)::text else of_body end, of_members);
end
$$;

-- Inserts events whose key and id are free, except those of members that were erased.
create function record_events(events json) returns setof behaviour language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(personal_data_lock());
  return query
    insert into behaviour (key, fingerprint, event_id, program_id, account, member_id, type, occurred_at, recorded_at, source,
        value, currency, campaign_id, location_id, properties)
      select e.key, e.fingerprint, e.event_id, e.program_id, e.account, e.member_id, e.type, e.occurred_at, e.recorded_at,
        e.source, e.value, e.currency, e.campaign_id, e.location_id, e.properties
      from rows from (
          json_to_recordset(events) as (key uuid, fingerprint uuid, event_id text, program_id text, account bigint,
            member_id text, type text, occurred_at bigint, recorded_at bigint, source text, value bigint, currency text,
            campaign_id text, location_id text, properties jsonb)
        ) with ordinality e(key, fingerprint, event_id, program_id, account, member_id, type, occurred_at, recorded_at,
          source, value, currency, campaign_id, location_id, properties, place)
      where not exists (select from erasures d where d.account = e.account)
      order by e.place
    on conflict do nothing returning *;
end
$$;

-- Sets what `fields` has; null clears.
create function set_profile(of_account bigint, at bigint, fields jsonb) returns void language sql as $$
  insert into profiles (account, program_id, member_id, created_at, updated_at)
    select a.number, a.program_id, a.member_id, at, at from accounts a
    where a.number = of_account and fields <> '{}'
  on conflict (account) do nothing;
  update profiles p set
    external_id = case when fields ? 'external_id' then fields ->> 'external_id' else p.external_id end,
    display_name = case when fields ? 'display_name' then fields ->> 'display_name' else p.display_name end,
    name_key = case when fields ? 'display_name' then fields ->> 'name_key' else p.name_key end,
    email = case when fields ? 'email' then fields ->> 'email' else p.email end,
    email_key = case when fields ? 'email' then fields ->> 'email_key' else p.email_key end,
    phone = case when fields ? 'phone' then fields ->> 'phone' else p.phone end,
    birth_date = case when fields ? 'birth_date' then (fields ->> 'birth_date')::date else p.birth_date end,
    updated_at = at
  where p.account = of_account;
$$;

-- The newest consents of a history: that of the accounts, and `added`, which is the latest to arrive. A channel's is the
-- newest of its own and of the withdrawals of the whole purpose; of two at the same instant the later to arrive.
create function newest_consents(of_accounts bigint[], added jsonb)
returns table (purpose text, channel text, granted boolean, source text, recorded_at bigint) language sql stable as $$
  with history as (
    select c.purpose, c.channel, c.granted, c.source, c.recorded_at, c.n from consents c where c.account = any(of_accounts)
    union all
    select g.purpose, g.channel, g.granted, g.source, g.recorded_at, null
    from jsonb_to_recordset(added) g(purpose text, channel text, granted boolean, source text, recorded_at bigint)
  )
  select known.purpose, known.channel, newest.granted, newest.source, newest.recorded_at
  from (select distinct h.purpose, h.channel from history h) known
    cross join lateral (
      select h.granted, h.source, h.recorded_at from history h
      where h.purpose = known.purpose and (h.channel = known.channel or h.channel = '' and not h.granted)
      order by h.recorded_at desc, h.n desc nulls first limit 1
    ) newest;
$$;

-- Makes current_consents of the history.
create function settle_consents(of_account bigint) returns void language sql as $$
  delete from current_consents where account = of_account;
  insert into current_consents (account, purpose, channel, granted, source, recorded_at)
    select of_account, c.purpose, c.channel, c.granted, c.source, c.recorded_at
    from newest_consents(array[of_account], '[]') c;
$$;

-- Adds to the history what it does not have yet.
create function record_consents(of_account bigint, given jsonb, at bigint, by text) returns void language sql as $$
  insert into consents (account, purpose, channel, granted, source, recorded_at, received_at, recorded_by, member_id)
    select of_account, g.purpose, g.channel, g.granted, g.source, g.recorded_at, at, by, a.member_id
    from accounts a cross join rows from (
        jsonb_to_recordset(given) as (purpose text, channel text, granted boolean, source text, recorded_at bigint)
      ) with ordinality g(purpose, channel, granted, source, recorded_at, place)
    where a.number = of_account and not exists (
      select from consents c
      where c.account = of_account and (c.purpose, c.channel, c.granted, c.recorded_at)
          = (g.purpose, g.channel, g.granted, g.recorded_at) and c.source is not distinct from g.source
    )
    order by g.place;
  select settle_consents(of_account);
$$;

-- The withdrawals that a merge adds, as record_consents takes them: of both consents the stricter counts, so that what one
-- has withdrawn stays so. A channel without consent of its own has that of the whole purpose.
create function merge_refusals(of_account bigint, from_account bigint, at bigint) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('purpose', known.purpose, 'channel', known.channel, 'granted', false,
      'source', 'merge', 'recorded_at', greatest(at, newest.recorded_at))), '[]')
    from (select distinct c.purpose, c.channel from current_consents c where c.account in (of_account, from_account)) known
      cross join lateral (
        select bool_or(not one.granted) as withdrawn, count(*) as statements
        from unnest(array[of_account, from_account]) side
          cross join lateral (
            select c.granted from current_consents c
            where c.account = side and c.purpose = known.purpose and c.channel in (known.channel, '')
            order by c.channel desc limit 1
          ) one
      ) both_sides
      cross join lateral (
        select max(c.recorded_at) as recorded_at from consents c
        where c.account in (of_account, from_account) and c.purpose = known.purpose
      ) newest
    where both_sides.withdrawn and both_sides.statements = 2;
$$;

-- Fills the gaps of one profile from another, which is gone then, and takes the stricter consent of both.
create function merge_profile(of_account bigint, from_account bigint, at bigint, by text) returns void language plpgsql as $$
declare
  gone profiles;
  refused jsonb;
begin
  delete from profiles p where p.account = from_account returning p.* into gone;
  if found then
    insert into profiles (account, program_id, member_id, created_at, updated_at)
      select a.number, a.program_id, a.member_id, at, at from accounts a where a.number = of_account
    on conflict (account) do nothing;
    update profiles p set
      external_id = coalesce(p.external_id, gone.external_id),
      display_name = coalesce(p.display_name, gone.display_name),
      name_key = coalesce(p.name_key, gone.name_key),
      email = coalesce(p.email, gone.email),
      email_key = coalesce(p.email_key, gone.email_key),
      phone = coalesce(p.phone, gone.phone),
      birth_date = coalesce(p.birth_date, gone.birth_date),
      updated_at = merge_profile.at
    where p.account = of_account;
  end if;

  refused := merge_refusals(of_account, from_account, at);
  update consents set account = of_account where account = from_account;
  delete from current_consents where account = from_account;
  perform record_consents(of_account, refused, at, by);
end
$$;

create table shown_members (
  account bigint not null,
  seq bigint not null,
  identities jsonb not null,
  attributes jsonb,
  primary key (account, seq)
);
comment on table shown_members is 'Personal data in the answer of an enrolment that found its member, for replays of it: the record (account, seq) has none.';

-- Takes away everything personal that the service has of members; the ledger and the log have nothing of it.
create function erase_personal(accounts_erased bigint[], at bigint, reason text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(personal_data_lock());
  insert into erasures (account, program_id, member_id, at, reason)
    select a.number, a.program_id, a.member_id, erase_personal.at, erase_personal.reason
    from accounts a where a.number = any(accounts_erased)
  on conflict (account) do nothing;
  delete from profiles p where p.account = any(accounts_erased);
  delete from consents c where c.account = any(accounts_erased);
  delete from current_consents c where c.account = any(accounts_erased);
  delete from shown_members s where s.account = any(accounts_erased);
  update members m set identities = '[]', attributes = null, attributes_hash = null where m.account = any(accounts_erased);
  update behaviour b set properties = null where b.account = any(accounts_erased);
  update keyed_requests k set body = without_personal(k.body::jsonb)::text
    where k.members && array(select a.member_id from accounts a where a.number = any(accounts_erased));
end
$$;

-- What a record does to profile and consent: `change` as the journal's ProfileChange has it, `by` the name of the caller.
create function change_profile(of_account bigint, at bigint, change jsonb, by text) returns void language plpgsql as $$
begin
  case change ->> 'type'
    when 'set' then
      perform set_profile(of_account, at, change -> 'fields');
      if change -> 'consents' <> '[]' then
        perform record_consents(of_account, change -> 'consents', at, by);
      end if;
    when 'merge' then
      perform merge_profile(of_account, (change ->> 'from')::bigint, at, by);
    when 'shown' then
      insert into shown_members (account, seq, identities, attributes)
        values (of_account, (change ->> 'seq')::bigint, change #> '{member,identities}', change #> '{member,attributes}');
    when 'erase' then
      perform erase_personal(of_account || array(select jsonb_array_elements_text(change -> 'merged')::bigint), at,
        change ->> 'reason');
  end case;
end
$$;
