-- Oldest: 0.3.0
-- A new span begins with the month (contract/databases.md *Spans*), under the lock that groups share. So all records of
-- a span are committed before the first of the next one, and have lower transaction ids.
--
-- The function that appends decides the span, so nodes of an older version write to the present one too.

create table spans (
  span smallint primary key,
  epoch int not null,
  transaction xid8 not null,
  began_at timestamptz not null default clock_timestamp()
);
comment on table spans is
  'The spans that have begun; the last one is the present one. Records of a span have a higher (epoch, transaction) than its row, and not above that of the next span.';
insert into spans (span, epoch, transaction) values (0, 0, '0');

alter table installation add column span smallint not null default 0;
comment on column installation.span is 'The present span.';
alter table accounts add column span smallint not null default 0;
comment on column accounts.span is 'The span of the account''s last record.';

create table account_spans (
  account bigint not null,
  first_seq bigint not null,
  first_n bigint not null,
  span smallint not null,
  primary key (account, first_seq)
);
comment on table account_spans is
  'The first record, and the first entry, of each account in each span after 0, so that a record''s partition is found without a look into all. Before the first row: span 0.';

do $$
declare
  before text := pg_get_functiondef('append_announced'::regproc);
  after text := replace(replace(replace(replace(replace(replace(replace(replace(before,
    '  epoch_now int;',
    '  epoch_now int;
  span_now smallint;
  entering bigint[];'),
    ' i.epoch, (select max(e.era) from eras e)
    from installation i into refused, epoch_now, present;',
    ' i.epoch, (select max(e.era) from eras e), i.span
    from installation i into refused, epoch_now, present, span_now;'),
    '    returning a.number
  )
  select array(select number from advanced), (select count(r.moves_from) from unnest(records) r) into moved, expected;',
    '    returning a.number, a.span
  )
  select array(select number from advanced), (select count(r.moves_from) from unnest(records) r),
    array(select number from advanced where span <> span_now) into moved, expected, entering;'),
    '  -- Inserts in the order of the keys, so that two nodes with the same keys do not wait for each other.
',
    '  -- Accounts whose first record of the present span this is: once a month each.
  if cardinality(entering) > 0 then
    insert into account_spans (account, first_seq, first_n, span)
      select r.account, min(r.seq), coalesce(
          (select min(e.n) from unnest(entries) e where e.account = r.account),
          (select e.n + 1 from ledger_entries e where e.account = r.account order by e.n desc limit 1), 1), span_now
      from unnest(records) r where r.account = any(entering) group by r.account;
    update accounts a set span = span_now where a.number = any(entering);
  end if;

  -- Inserts in the order of the keys, so that two nodes with the same keys do not wait for each other.
'),
    'reply, balances, announced)', 'reply, balances, announced, span)'),
    'r.balances, r.announced', 'r.balances, r.announced, span_now'),
    '      business_date)', '      business_date, span)'),
    'e.placed_at, e.business_date', 'e.placed_at, e.business_date, span_now');
begin
  -- Every change was made, each once.
  if (select count(*) from regexp_matches(after, 'span_now', 'g')) <> 7 or length(after) <> length(before) + 765 then
    raise exception 'append_announced is not as 0019 has made it';
  end if;
  execute after;
end
$$;

-- Makes the partitions of the two spans after the present one. With the owner's rights, as the service's role may make
-- no table. Attaching waits for no reader and no writer.
create function prepare_spans() returns void language plpgsql security definer set lock_timeout = '250ms' as $$
declare
  number smallint;
  parent text;
  part text;
  key text;
  col name;
begin
  if to_regclass('journal_' || (select i.span + 2 from installation i)) is not null then
    return;
  end if;
  -- Two concurrent calls make each partition once.
  lock table journal, ledger_entries in share update exclusive mode;
  for number in select i.span + ahead from installation i, generate_series(1, 2) ahead loop
    continue when to_regclass('journal_' || number) is not null;
    foreach parent in array array['journal', 'ledger_entries'] loop
      part := parent || '_' || number;
      key := case parent when 'journal' then 'seq' else 'n' end;
      execute format('create table %I (like %I including defaults)', part, parent);
      execute format('alter table %I add primary key (account, %I)', part, key);
      execute format('alter table %I set (%s)', part,
        (select array_to_string(c.reloptions, ', ') from pg_class c where c.oid = (parent || '_0')::regclass));
      -- For the reason in 0001.
      for col in select a.attname from pg_attribute a where a.attrelid = part::regclass and a.attnum > 0 loop
        execute format('alter table %I alter column %I set statistics 1', part, col);
      end loop;
      execute format('create trigger %I before update or delete or truncate on %I for each statement execute function refuse_change()',
        parent || '_append_only', part);
    end loop;
    execute format('create index %I on %I (epoch, transaction)', 'journal_' || number || '_in_order', 'journal_' || number);
    foreach parent in array array['ledger_entries', 'journal'] loop
      execute format('alter table %I attach partition %I for values in (%s)', parent, parent || '_' || number, number);
    end loop;
  end loop;
end
$$;

-- Begins the next span if PostgreSQL's clock shows a later month than that in which the present one began, or by hand.
-- A clock that is more than 40 days past the newest record is not believed. Returns the present span then. While it waits
-- for its lock, groups wait behind it; so it gives up early, and the caller retries later.
create function begin_span(by_hand boolean default false) returns smallint language plpgsql set lock_timeout = '250ms' as $$
declare
  present spans;
  newest bigint;
begin
  for looked in 1..2 loop
    select s.* into present from spans s order by s.span desc limit 1;
    select j.written_at into newest from journal j where j.span = present.span order by j.epoch desc, j.transaction desc limit 1;
    if to_regclass('journal_' || (present.span + 1)) is null
      or not by_hand and (
        date_trunc('month', clock_timestamp(), 'UTC') <= date_trunc('month', present.began_at, 'UTC')
        or newest is null
        or to_timestamp(newest / 1000.0) < clock_timestamp() - interval '40 days'
      )
    then
      return present.span;
    end if;
    if looked = 2 then
      insert into spans (span, epoch, transaction) select present.span + 1, i.epoch, pg_current_xact_id() from installation i;
      update installation set span = present.span + 1;
      return present.span + 1;
    end if;
    -- Waits for every group in flight; later groups see the new span. Two concurrent calls begin one span.
    perform pg_advisory_xact_lock(7270001);
    if exists (select from spans s where s.span > present.span) then
      return present.span + 1;
    end if;
  end loop;
end
$$;

do $$
begin
  execute format('alter function prepare_spans() set search_path = %I, pg_temp', current_schema());
  revoke execute on function prepare_spans() from public;
end
$$;
select prepare_spans();

-- A sandbox that is started over goes on in the present span.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'truncate journal, ledger_entries, ', 'truncate journal, ledger_entries, account_spans, ');
begin
  if length(after) <> length(before) + length('account_spans, ') then
    raise exception 'reset_sandbox is not as 0053 has made it';
  end if;
  execute after;
end
$$;
