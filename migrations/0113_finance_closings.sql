-- Oldest: 0.3.0
-- Closed months (contract/finance.md *Closing a month*), and the head of the journal that proves what they count.

alter table finance_progress add column head text not null default '';
comment on column finance_progress.head is 'SHA-256 of the head before and the hash of the record, over all records in the order of the feed.';

drop function count_finance(text, bigint, int, xid8, bigint, bigint, json);
-- Adds a change that was computed on the state `seen`, and moves the position: `changed`. `moved`: another writer came first.
-- `replaced`: the node was declared dead. Null for of_node: a command.
create function count_finance(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, head text,
  change json)
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
  return 'changed';
end
$$;

-- Counts again from the first record, for the head.
update finance_progress set changes = changes + 1, epoch = 0, transaction = '0', account = 0, seq = 0;
truncate finance_days, finance_cohorts, finance_rewards, finance_merges;

create table finance_closings (
  program_id text not null,
  period text not null,
  closed_at bigint not null,
  closed_by text not null,
  statement text not null,
  sha256 text not null,
  primary key (program_id, period)
);
comment on table finance_closings is 'Statements of closed months, as they were told. No rollup: lotbook finance verify counts them anew.';
comment on column finance_closings.period is 'YYYY-MM, in the programme''s time zone.';
comment on column finance_closings.closed_at is 'ms, by the machine''s clock.';
comment on column finance_closings.statement is 'JSON with its format, the position and head of the journal, the rows, and the sums since ever by which late entries are told.';
comment on column finance_closings.sha256 is 'Of statement, hexadecimal.';
create trigger finance_closings_append_only before update or delete on finance_closings
  for each statement execute function refuse_change();

do $$
declare
  before text := pg_get_functiondef('reset_rollups'::regproc);
  after text := replace(before, E'seq = 0;\n  truncate finance_days', E'seq = 0, head = '''';\n  truncate finance_days');
begin
  if length(after) <> length(before) + length(', head = ''''') then
    raise exception 'reset_rollups is not as 0111 has made it';
  end if;
  execute after;
end
$$;

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'owed_closings, ', 'owed_closings, finance_closings, ');
begin
  if length(after) <> length(before) + length('finance_closings, ') then
    raise exception 'reset_sandbox is not as 0038 has made it';
  end if;
  execute after;
end
$$;
