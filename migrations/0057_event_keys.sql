-- Oldest: 0.3.0
-- Events of guests are deleted with time, their keys and ids are kept for good (contract/databases.md *Retention*).

create table behaviour_keys (
  key uuid primary key,
  fingerprint uuid not null,
  event_id text not null unique,
  account bigint not null,
  occurred_at bigint not null,
  recorded_at bigint not null
);
comment on table behaviour_keys is
  'What is known of events that are deleted: an event that is sent again is still the same one. The columns are those of behaviour.';

-- Inserts events whose key and id are free, except those of members that were erased.
create or replace function record_events(events json) returns setof behaviour language plpgsql as $$
declare
  made bigint[];
begin
  perform pg_advisory_xact_lock_shared(personal_data_lock());
  with inserted as (
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
        and not exists (select from behaviour_keys k where k.key = e.key)
        and not exists (select from behaviour_keys k where k.event_id = e.event_id)
      order by e.place
    on conflict do nothing returning n
  )
  select array_agg(n) into made from inserted;
  -- An insertion that has waited for the deletion of the same event does not see in its own statement that the key was kept.
  if exists (select from behaviour b join behaviour_keys k on k.key = b.key where b.n = any(made))
    or exists (select from behaviour b join behaviour_keys k on k.event_id = b.event_id where b.n = any(made))
  then
    raise exception 'an event was deleted meanwhile' using errcode = 'serialization_failure';
  end if;
  return query select b.* from behaviour b where b.n = any(made) order by b.n;
end
$$;

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'behaviour, ', 'behaviour, behaviour_keys, ');
begin
  if length(after) <> length(before) + length('behaviour_keys, ') then
    raise exception 'reset_sandbox is not as 0054 has made it';
  end if;
  execute after;
end
$$;
