-- Counts of profiles, so that analytics need not read all of them. Not a rollup: triggers keep it in the very transaction.

create table profile_counts (
  program_id text not null,
  session int not null,
  profiles bigint not null,
  with_email bigint not null,
  with_phone bigint not null,
  marketing bigint not null,
  primary key (program_id, session)
) with (fillfactor = 50);
comment on table profile_counts is 'The sums of all rows of a programme are its counts.';
comment on column profile_counts.session is 'The server process that counted: each has a row of its own, so that none waits for another.';
comment on column profile_counts.marketing is 'Members who agree to marketing as a whole.';

create function count_profiles(of_program text, of_profiles bigint, of_email bigint, of_phone bigint, of_marketing bigint)
returns void language sql as $$
  insert into profile_counts as c (program_id, session, profiles, with_email, with_phone, marketing)
    select of_program, pg_backend_pid(), of_profiles, of_email, of_phone, of_marketing
    where (of_profiles, of_email, of_phone, of_marketing) <> (0, 0, 0, 0)
  on conflict (program_id, session) do update set profiles = c.profiles + excluded.profiles,
    with_email = c.with_email + excluded.with_email, with_phone = c.with_phone + excluded.with_phone,
    marketing = c.marketing + excluded.marketing
$$;

create function profiles_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform count_profiles(r.program_id, count(*), count(r.email), count(r.phone), 0) from now_there r group by r.program_id;
  end if;
  if tg_op <> 'INSERT' then
    perform count_profiles(r.program_id, -count(*), -count(r.email), -count(r.phone), 0) from was_there r group by r.program_id;
  end if;
  return null;
end
$$;
create trigger profiles_inserted after insert on profiles referencing new table as now_there
  for each statement execute function profiles_changed();
create trigger profiles_updated after update on profiles referencing old table as was_there new table as now_there
  for each statement execute function profiles_changed();
create trigger profiles_deleted after delete on profiles referencing old table as was_there
  for each statement execute function profiles_changed();

create function consents_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform count_profiles(a.program_id, 0, 0, 0, count(*)) from now_there r join accounts a on a.number = r.account
      where r.purpose = 'marketing' and r.channel = '' and r.granted group by a.program_id;
  end if;
  if tg_op <> 'INSERT' then
    perform count_profiles(a.program_id, 0, 0, 0, -count(*)) from was_there r join accounts a on a.number = r.account
      where r.purpose = 'marketing' and r.channel = '' and r.granted group by a.program_id;
  end if;
  return null;
end
$$;
create trigger consents_inserted after insert on current_consents referencing new table as now_there
  for each statement execute function consents_changed();
create trigger consents_updated after update on current_consents referencing old table as was_there new table as now_there
  for each statement execute function consents_changed();
create trigger consents_deleted after delete on current_consents referencing old table as was_there
  for each statement execute function consents_changed();
