-- Groups look for claims in the eras that they mean. Asked about several eras in
-- one statement, PostgreSQL 18 went through all eras of the index for every key
-- and looked at their numbers afterwards. And as what is learnt of an era that has
-- ended is read along the index, not in the whole table, eras may be smaller.

-- Begins an era where the present one has grown: to least_bytes of claims, and to a sixteenth of all of them. While it
-- waits, groups wait behind it: where one on its way takes long, it gives up, and is asked again later.
create or replace function begin_era(least_bytes bigint) returns boolean language plpgsql set lock_timeout = '250ms' as $$
declare
  bytes bigint := pg_relation_size('claims');
begin
  if not exists (select from installation where bytes - era_began >= greatest(least_bytes, bytes / 16)) then
    return false;
  end if;
  -- Waits for every group on its way; those after it see the new era. Two that come here at once begin one.
  perform pg_advisory_xact_lock(7270001);
  update installation set era = era + 1, era_began = bytes
    where bytes - era_began >= greatest(least_bytes, bytes / 16);
  return found;
end
$$;

-- Whether one of the keys is claimed in an era from the first to the last. Era by era, and with nothing to choose from:
-- a plan made while the table is small, or before it was analysed, must serve when it is large.
create function any_claimed(keys uuid[], first_era int, last_era int) returns boolean language plpgsql
set enable_seqscan = off as $$
begin
  for looked in first_era..last_era loop
    if exists (select from claims h where h.era = looked and h.key = any(keys)) then
      return true;
    end if;
  end loop;
  return false;
end
$$;

create or replace function append_records(
  r_account float8[], r_seq float8[], r_at float8[], r_hash uuid[], r_version float8[], r_events text[], r_reply text[],
  r_due float8[], r_balance float8[], r_status text[],
  c_rec float8[], c_key uuid[], c_fingerprint uuid[],
  e_rec float8[], e_n float8[], e_amount float8[], e_occurred float8[], e_expires float8[], e_related float8[],
  e_operation text[], e_unit text[], e_classification text[], e_qualifies text[], e_order text[], e_location text[],
  e_adjustment text[], e_reservation text[], e_reason text[],
  w_rec float8[], w_json text[],
  o_rec float8[], o_program text[], o_member text[], o_identities text[], o_attributes text[],
  c_maybe float8[], c_known float8
) returns table (
  rec int, outcome int, key uuid, fingerprint uuid, holder_account float8, holder_seq float8
) language plpgsql as $$
declare
  skipped int[] := '{}';
  moved bigint[];
  stale int[];
  expected bigint;
  frozen boolean;
  present int;
begin
  -- The freeze and a new era take this lock alone, so that they wait for every group on its way.
  perform pg_advisory_xact_lock_shared(7270001);
  select i.write_frozen, i.era from installation i into frozen, present;
  if frozen then
    return query select n::int, 4, null::uuid, null::uuid, null::float8, null::float8
      from generate_series(1, cardinality(r_account)) n;
    return;
  end if;

  -- Records of which a claim is held, and those behind them in their accounts.
  if any_claimed(c_key, least(c_known::int, present), present) or cardinality(c_maybe) > 0
    and any_claimed(array(select c_key[m.place::int] from unnest(c_maybe) m(place)), 0, least(c_known::int, present) - 1)
  then
    -- Looked at once: what another node commits between two looks would be left out of the group and told to nobody.
    for rec, outcome, key, fingerprint, holder_account, holder_seq in
      select distinct on (k.rec) k.rec::int, 1, h.key, h.fingerprint, h.account::float8, h.seq::float8
      from unnest(c_rec, c_key) with ordinality k(rec, key, place), generate_series(0, present) e(era)
        join claims h on h.era = e.era
      where h.key = k.key
      order by k.rec, k.place
    loop
      skipped := skipped || rec;
      return next;
    end loop;
    return query
      select r.rec::int, 3, null::uuid, null::uuid, null::float8, null::float8
      from unnest(r_account, r_seq) with ordinality r(account, seq, rec)
      where not (r.rec::int = any(skipped)) and exists (
        select from unnest(skipped) s(rec) where r_account[s.rec] = r.account and r_seq[s.rec] < r.seq
      );
    skipped := array(
      select r.rec::int from unnest(r_account, r_seq) with ordinality r(account, seq, rec)
      where exists (select from unnest(skipped) s(rec) where r_account[s.rec] = r.account and r_seq[s.rec] <= r.seq)
    );
  end if;

  if cardinality(o_rec) > 0 then
    insert into accounts (number, seq, next_due, balance, status, program_id, member_id, joined_at)
      select r_account[o.rec::int]::bigint, 0, null, 0, 'active', o.program, o.member,
        to_timestamp(r_at[o.rec::int] / 1000)
      from unnest(o_rec, o_program, o_member) o(rec, program, member) where not (o.rec::int = any(skipped))
    -- An account that is there already: its row does not move below, and the record is stale.
    on conflict (number) do nothing;
    insert into members (account, identities, attributes)
      select r_account[o.rec::int]::bigint, o.identities::jsonb, o.attributes::jsonb
      from unnest(o_rec, o_identities, o_attributes) o(rec, identities, attributes)
      where not (o.rec::int = any(skipped))
    on conflict (account) do nothing;
  end if;

  -- Each account's row moves from the record before the group's first to its last: the first fence.
  with newest as materialized (
    select distinct on (r.account) r.account::bigint as account, r.seq::bigint as last, r.due, r.balance, r.status,
      min(r.seq) over (partition by r.account)::bigint as first
    from unnest(r_account, r_seq, r_due, r_balance, r_status)
      with ordinality r(account, seq, due, balance, status, rec)
    where not (r.rec::int = any(skipped))
    order by r.account, r.seq desc
  ), advanced as (
    update accounts a set seq = n.last, next_due = n.due::bigint, balance = n.balance::bigint,
      status = n.status::member_status
    from newest n where a.number = n.account and a.seq = n.first - 1
    returning a.number
  )
  select (select array_agg(number) from advanced), (select count(*) from newest) into moved, expected;
  if coalesce(cardinality(moved), 0) <> expected then
    -- Another owner wrote to the rest: their records are left out, the first of each account as stale.
    stale := array(
      select r.rec::int from unnest(r_account) with ordinality r(account, rec)
      where not (r.rec::int = any(skipped)) and not (r.account::bigint = any(coalesce(moved, '{}')))
    );
    return query
      select t.rec, case when t.place = 1 then 2 else 3 end, null::uuid, null::uuid, null::float8, null::float8
      from (
        select s.rec, row_number() over (partition by r_account[s.rec] order by r_seq[s.rec]) as place
        from unnest(stale) s(rec)
      ) t;
    skipped := skipped || stale;
  end if;

  insert into claims (key, fingerprint, account, seq, era)
    select c.key, c.fingerprint, r_account[c.rec::int]::bigint, r_seq[c.rec::int]::bigint, present
    from unnest(c_rec, c_key, c_fingerprint) c(rec, key, fingerprint)
    where not (c.rec::int = any(skipped)) order by c.key;

  insert into journal (account, seq, at, hash, version, events, reply)
    select r.account::bigint, r.seq::bigint, r.at::bigint, r.hash, r.version::smallint, r.events, r.reply
    from unnest(r_account, r_seq, r_at, r_hash, r_version, r_events, r_reply)
      with ordinality r(account, seq, at, hash, version, events, reply, rec)
    where not (r.rec::int = any(skipped));

  insert into ledger_entries (account, n, seq, amount, occurred_at, expires_at, related_n, operation, unit,
      classification, qualifies_for_tier, order_id, location_id, adjustment_id, reservation_id, reason)
    select r_account[e.rec::int]::bigint, e.n::bigint, r_seq[e.rec::int]::bigint, e.amount::bigint,
      to_timestamp(e.occurred / 1000), to_timestamp(e.expires / 1000), e.related::bigint,
      e.operation::ledger_operation, e.unit::unit, e.classification::classification, e.qualifies::boolean,
      e.order_id, e.location, e.adjustment, e.reservation, e.reason
    from unnest(e_rec, e_n, e_amount, e_occurred, e_expires, e_related, e_operation, e_unit, e_classification,
      e_qualifies, e_order, e_location, e_adjustment, e_reservation, e_reason)
      e(rec, n, amount, occurred, expires, related, operation, unit, classification, qualifies, order_id, location,
      adjustment, reservation, reason)
    where not (e.rec::int = any(skipped));

  if cardinality(w_rec) > 0 then
    insert into issued_rewards as w
      select distinct on (r_account[j.rec::int], x.issued_reward_id) r_account[j.rec::int]::bigint, x.*
      from unnest(w_rec, w_json) j(rec, body),
        json_to_record(j.body::json) x(issued_reward_id text, reward_id text, status issued_reward_status,
          issued_at bigint, expires_at bigint, redeemed_at bigint, cancelled_at bigint, cancellation_reason text,
          artifact_type text, artifact_value text)
      where not (j.rec::int = any(skipped))
      order by r_account[j.rec::int], x.issued_reward_id, r_seq[j.rec::int] desc
    on conflict (account, issued_reward_id) do update set status = excluded.status,
      redeemed_at = excluded.redeemed_at, cancelled_at = excluded.cancelled_at,
      cancellation_reason = excluded.cancellation_reason;
  end if;
end
$$;
