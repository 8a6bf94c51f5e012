-- Oldest: 0.2.0
-- The events that the feed makes of the journal (contract/events.md *Events*).

alter table journal add column announced bigint not null default 0;
comment on column journal.announced is
  'Number of events that the account''s records have announced up to this one: the sequence of its last event.';
-- For the reason in 0001.
alter table journal alter column announced set statistics 1;

-- The number of events that a record announces, as src/account/domain/Announced.ts has it: of records that were written
-- by an older version.
create function announced_by(events text) returns bigint language sql immutable as $$
  select count(distinct case e->>'type'
      when 'posted' then case
        when e->>'reset' is not null then 'reset ' || (e->>'reason')
        when e->>'op' = 'accrual' then 'accrual ' || (e->>'order')
        when e->>'op' = 'adjustment' then 'order_adjusted ' || (e->>'adjustment')
        when e->>'op' = 'redemption' then 'captured ' || (e->>'reservation')
        when e->>'op' = 'reversal' and e->>'restores' is not null then 'undone'
        when e->>'op' = 'reversal' then 'reversed ' || (e->>'reservation')
        when e->>'op' = 'expiration' then 'expiration ' || (e->>'at')
        else 'manual'
      end
      when 'identity_added' then case when not w.whole then 'identities' end
      when 'identity_removed' then case when not w.whole then 'identities' end
      when 'order_adjusted' then 'order_adjusted ' || (e->>'adjustment')
      when 'captured' then 'captured ' || (e->>'reservation')
      when 'released' then 'reversed ' || (e->>'reservation')
      when 'refunded' then 'reversed ' || (e->>'reservation')
      when 'reserved' then 'reserved ' || (e->>'reservation')
      when 'hold_expired' then 'hold_expired ' || (e->>'reservation')
      when 'merged_in' then 'merged'
      when 'merged_away' then 'merged'
      when 'enrolled' then 'enrolled'
      when 'status_changed' then 'status'
      when 'erased' then 'erased'
      when 'reward_issued' then 'reward_issued ' || (e->>'issued')
      when 'reward_redeemed' then 'reward_redeemed ' || (e->>'issued')
      when 'reward_restored' then 'reward_restored ' || (e->>'issued')
      when 'reward_cancelled' then 'reward_cancelled ' || (e->>'issued')
      when 'reward_expired' then 'reward_expired ' || (e->>'issued')
      when 'challenge_completed' then 'challenge ' || (e->>'issued')
      when 'tier_changed' then case when e->>'from' is not null then 'tier ' || (e->>'at') end
      when 'points_expiring' then concat_ws(' ', 'expiring', e->>'unit', e->>'days', e->>'first')
    end)
  from json_array_elements(events::json) e, (
    select bool_or(f->>'type' in ('merged_in', 'merged_away', 'erased')) as whole
    from json_array_elements(events::json) f
  ) w
$$;

-- Records that are there already.
create function number_events() returns void language plpgsql as $$
begin
  alter table journal disable trigger journal_append_only;
  update journal j set announced = n.announced
  from (
    select r.account, r.seq, sum(announced_by(r.events)) over (partition by r.account order by r.seq) as announced
    from journal r
  ) n
  where j.account = n.account and j.seq = n.seq and j.announced <> n.announced;
  alter table journal enable trigger journal_append_only;
end
$$;
select number_events();

-- Records that a node of an older version still writes, while nodes are replaced one by one. Every other record has a
-- number above 0, because the first one of an account announces its enrolment.
create function number_record() returns trigger language plpgsql as $$
begin
  new.announced := announced_by(new.events) + coalesce(
    (select j.announced from journal j where j.account = new.account and j.seq = new.seq - 1), 0);
  return new;
end
$$;
create trigger journal_numbered before insert on journal for each row when (new.announced = 0)
  execute function number_record();

-- append_announced is append_records with the number of each record. Nodes of an older version call append_records, which
-- leaves the number to the trigger; both go with the first version that no longer runs beside them.
create type announced_record as (
  account bigint, seq bigint, at bigint, hash uuid, program_version int, version smallint, actor text, origin text, events text,
  reply text, balances text, next_due bigint, balance bigint, status text, moves_from bigint, announced bigint
);
do $$
declare
  before text := pg_get_functiondef('append_records'::regproc);
  after text := replace(replace(replace(replace(before,
    'append_records(', 'append_announced('),
    ' appended_record[]', ' announced_record[]'),
    'reply, balances)', 'reply, balances, announced)'),
    'r.reply, r.balances', 'r.reply, r.balances, r.announced');
begin
  if length(after) <> length(before) + length('append_announced' || 'announced_record' || ', announced, r.announced')
      - length('append_records' || 'appended_record') then
    raise exception 'append_records is not as 0001 has made it';
  end if;
  execute after;
end
$$;
create or replace function append_records(
  records appended_record[], claimed appended_claim[], entries appended_entry[], rewards appended_reward[],
  opened appended_account[], identified appended_identity[], changed appended_member[],
  profiled appended_profile[], audited appended_audit[],
  is_linked boolean, maybe_claimed uuid[], known_eras int, known_stamp uuid, of_node text, decided_under int
) returns table (
  account bigint, seq bigint, outcome append_outcome, key uuid, fingerprint uuid, holder_account bigint, holder_seq bigint
) language sql as $$
  select * from append_announced(
    array(
      select (r.account, r.seq, r.at, r.hash, r.program_version, r.version, r.actor, r.origin, r.events, r.reply, r.balances,
        r.next_due, r.balance, r.status, r.moves_from, 0)::announced_record
      from unnest(records) with ordinality r(account, seq, at, hash, program_version, version, actor, origin, events, reply,
        balances, next_due, balance, status, moves_from, place)
      order by r.place
    ),
    claimed, entries, rewards, opened, identified, changed, profiled, audited, is_linked, maybe_claimed, known_eras,
    known_stamp, of_node, decided_under)
$$;

-- The first record that was committed at `since` (ms) or later; in a sandbox by the service's time. No row: there is none yet.
-- Records are only nearly in the order of their times, so the search ends a minute before and goes on record by record.
create function first_committed(since bigint)
returns table (epoch int, transaction xid8, account bigint, seq bigint) language plpgsql stable as $$
#variable_conflict use_column
declare
  standing boolean := (select coalesce(i.environment = 'sandbox', false) from installation i);
  before bigint := since - 60000;
  of_epoch int := -1;
  low bigint;
  high bigint;
  middle bigint;
begin
  loop
    select j.epoch, j.transaction::text::bigint from journal j where j.epoch > of_epoch
      order by j.epoch, j.transaction, j.account, j.seq limit 1 into of_epoch, low;
    exit when of_epoch is null;
    select j.transaction::text::bigint from journal j where j.epoch = of_epoch
      order by j.epoch desc, j.transaction desc, j.account desc, j.seq desc limit 1 into high;
    while low < high loop
      middle := (low + high + 1) / 2;
      if (select case when standing then j.at else j.written_at end from journal j
          where (j.epoch, j.transaction) >= (of_epoch, middle::text::xid8)
          order by j.epoch, j.transaction, j.account, j.seq limit 1) < before then
        low := middle;
      else
        high := middle - 1;
      end if;
    end loop;
    return query select j.epoch, j.transaction, j.account, j.seq from journal j
      where (j.epoch, j.transaction) >= (of_epoch, low::text::xid8) and j.epoch = of_epoch
        and case when standing then j.at else j.written_at end >= since
      order by j.epoch, j.transaction, j.account, j.seq limit 1;
    exit when found;
  end loop;
end
$$;
