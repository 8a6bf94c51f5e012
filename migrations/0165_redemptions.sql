-- Oldest: 0.3.0
-- Redemptions by restaurant (contract/engagement.md *Redemptions by restaurant*). The writer of the sums of finance adds them: it
-- counts the past of a database with the present, so that older ones are listed too.

create table finance_redemptions (
  account bigint not null,
  seq bigint not null,
  program_id text not null,
  location_id text collate "C" not null,
  day bigint not null,
  at bigint not null,
  order_id text not null,
  reward_id text not null,
  issued_reward_id text,
  unit unit not null,
  points bigint not null,
  captured_at bigint,
  reversed_at bigint,
  primary key (account, seq)
) with (fillfactor = 90);
comment on table finance_redemptions is 'Reservations that are open or were captured, by the record that made them. What was released or has expired is no row.';
comment on column finance_redemptions.account is 'The account that reserved. rollup_merges tells who has it now.';
comment on column finance_redemptions.day is 'The day of the reservation in the programme''s time zone, as the UTC midnight of its date, ms.';
comment on column finance_redemptions.at is 'The time of the reservation, ms.';
comment on column finance_redemptions.points is 'What it took; 0: a reward of the wallet.';
comment on column finance_redemptions.captured_at is 'ms. Null: it is open, and not listed.';
comment on column finance_redemptions.reversed_at is 'ms. Null: it was not given back.';
create index finance_redemptions_places on finance_redemptions (program_id, day, location_id, at, account, seq);

drop function count_finance(text, bigint, int, xid8, bigint, bigint, text, json);
-- Adds a change that was computed on the state `seen`, and moves the position: `changed`. `moved`: another writer came first.
-- `replaced`: the node was declared dead. Null for of_node: a command.
create function count_finance(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, head text,
  change json, redemptions json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  update finance_progress p set changes = seen + 1, epoch = count_finance.epoch, transaction = count_finance.transaction,
      account = count_finance.account, seq = count_finance.seq, head = count_finance.head
    where p.changes = seen;
  if not found then
    return 'moved';
  end if;
  insert into finance_days as d
    select c.* from json_to_recordset(change->'days') c(program_id text, span smallint, start bigint, unit unit, location_id text,
      line text, points numeric)
    on conflict on constraint finance_days_pkey do update set points = d.points + excluded.points;
  insert into finance_cohorts as d
    select c.* from json_to_recordset(change->'cohorts') c(program_id text, unit unit, earned bigint, month bigint, line text,
      points numeric)
    on conflict on constraint finance_cohorts_pkey do update set points = d.points + excluded.points;
  insert into finance_rewards as d
    select c.* from json_to_recordset(change->'rewards') c(program_id text, span smallint, start bigint, reward_id text, line text,
      rewards bigint)
    on conflict on constraint finance_rewards_pkey do update set rewards = d.rewards + excluded.rewards;
  insert into finance_merges
    select c.* from json_to_recordset(change->'merges') c(account bigint, lowest bigint, merged bigint, shift bigint)
    on conflict do nothing;
  insert into finance_redemptions
    select c.* from json_populate_recordset(null::finance_redemptions, redemptions->'made') c;
  update finance_redemptions r set captured_at = coalesce(e.captured_at, r.captured_at),
      reversed_at = coalesce(e.reversed_at, r.reversed_at)
    from json_to_recordset(redemptions->'ended') e(account bigint, seq bigint, captured_at bigint, reversed_at bigint)
    where r.account = e.account and r.seq = e.seq;
  delete from finance_redemptions r using json_to_recordset(redemptions->'gone') e(account bigint, seq bigint)
    where r.account = e.account and r.seq = e.seq;
  return 'changed';
end
$$;

-- Counts again from the first record: in databases of a version before 0.4 nothing was counted yet.
update finance_progress set changes = changes + 1, epoch = 0, transaction = '0', account = 0, seq = 0, head = '';
truncate finance_days, finance_cohorts, finance_rewards, finance_merges;

do $$
declare
  before text := pg_get_functiondef('reset_rollups'::regproc);
  after text := replace(before, 'finance_rewards, finance_merges;', 'finance_rewards, finance_merges, finance_redemptions;');
begin
  if length(after) <> length(before) + length(', finance_redemptions') then
    raise exception 'reset_rollups is not as 0111 has made it';
  end if;
  execute after;
end
$$;
