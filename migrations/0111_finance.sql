-- Oldest: 0.3.0
-- Sums of the ledger by day for finance (contract/finance.md *Roll-forward*). They have a position of their own in the journal:
-- in a database with a past it starts before the first record, and the service counts the past in batches beside its work.

create table finance_days (
  program_id text not null,
  span smallint not null,
  start bigint not null,
  unit unit not null,
  location_id text not null,
  line text not null,
  points numeric not null,
  primary key (program_id, span, start, unit, location_id, line)
);
comment on table finance_days is 'Points of the ledger''s entries, by the day of the entry, the place of the lot and the line of the roll-forward.';
comment on column finance_days.span is '1: a day, 31: a month.';
comment on column finance_days.start is 'The first day in the programme''s time zone, as the UTC midnight of its date, ms.';
comment on column finance_days.location_id is 'The place of the entry that made the lot; empty: the brand.';

create table finance_cohorts (
  program_id text not null,
  unit unit not null,
  earned bigint not null,
  month bigint not null,
  line text not null,
  points numeric not null,
  primary key (program_id, unit, earned, month, line)
);
comment on table finance_cohorts is 'The same points by the month in which their lots were earned, and the month of the entry.';

create table finance_rewards (
  program_id text not null,
  span smallint not null,
  start bigint not null,
  reward_id text not null,
  line text not null,
  rewards bigint not null,
  primary key (program_id, span, start, reward_id, line)
);
comment on table finance_rewards is 'Rewards that came into wallets and left them, by day as finance_days.';

create table finance_merges (
  account bigint not null,
  lowest bigint not null,
  merged bigint not null,
  shift bigint not null,
  primary key (account, lowest)
);
comment on table finance_merges is 'Lots that merges brought: a lot of the account with a number below 0 is lot number - shift of the merged account.';

create table finance_progress (
  is_only boolean primary key default true check (is_only),
  changes bigint not null,
  epoch int not null,
  transaction xid8 not null,
  account bigint not null,
  seq bigint not null
);
comment on table finance_progress is 'The last record that the tables of finance count. changes counts all changes of them.';
insert into finance_progress (changes, epoch, transaction, account, seq) values (0, 0, '0', 0, 0);

-- Adds a change that was computed on the state `seen`, and moves the position: `changed`. `moved`: another writer came first.
-- `replaced`: the node was declared dead. Null for of_node: a command.
create function count_finance(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, change json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  update finance_progress p set changes = seen + 1, epoch = count_finance.epoch, transaction = count_finance.transaction,
      account = count_finance.account, seq = count_finance.seq
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
  return 'changed';
end
$$;

do $$
declare
  before text := pg_get_functiondef('reset_rollups'::regproc);
  added constant text := E'\n  update finance_progress set changes = changes + 1, epoch = 0, transaction = ''0'', account = 0, seq = 0;'
    '\n  truncate finance_days, finance_cohorts, finance_rewards, finance_merges;';
  after text := regexp_replace(before, '\nend\s*\$function\$', added || E'\nend\n$function$');
begin
  if position(added in after) = 0 then
    raise exception 'reset_rollups is not as 0061 has made it';
  end if;
  execute after;
end
$$;
