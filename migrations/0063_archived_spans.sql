-- Oldest: 0.3.0
-- Spans that lie in files (contract/databases.md *Archive*): their partitions are dropped, and reads that need them are refused.
-- `lotbook journal archive` lets no older version run any more.

create table archived_spans (
  span smallint primary key,
  archived_at timestamptz not null default clock_timestamp(),
  month text not null,
  records bigint not null,
  entries bigint not null,
  first_at bigint,
  last_at bigint,
  first_written bigint,
  last_written bigint,
  last_epoch int,
  last_transaction xid8,
  last_account bigint,
  last_seq bigint,
  file text not null,
  bytes bigint not null,
  checksum bytea not null
);
comment on table archived_spans is 'The spans without partitions: their records and entries lie in files.';
comment on column archived_spans.month is 'YYYY-MM in which the span began, UTC. Span 0 has what came before, too.';
comment on column archived_spans.first_at is 'Earliest time of a record or an entry, ms; null, as the columns after it: the span has no record.';
comment on column archived_spans.first_written is 'PostgreSQL''s time of the first record, ms.';
comment on column archived_spans.last_seq is 'The last record in the feed''s order, with the three columns before it.';
comment on column archived_spans.checksum is 'SHA-256 of the file''s index, which has the checksum of each of its blocks.';

create table archived_accounts (
  account bigint primary key,
  span smallint not null,
  enrolled_at bigint,
  first_accrual bigint,
  balances text not null,
  next_n bigint not null
);
comment on table archived_accounts is 'What reads need of an account''s archived records without their files. A restored span''s rows stay: they are as true.';
comment on column archived_accounts.span is 'The newest archived span with a record of the account. balances and next_n are after its last record.';
comment on column archived_accounts.enrolled_at is 'Time of record 1, ms; null: it was not archived.';
comment on column archived_accounts.first_accrual is 'Number of the first accrual''s entry; null: it was not archived.';
comment on column archived_accounts.next_n is 'The number that the account''s next entry gets.';

create table archived_holds (
  account bigint not null,
  seq bigint not null,
  at bigint not null,
  version smallint not null,
  events text not null,
  primary key (account, seq)
);
comment on table archived_holds is 'Every archived record that made a reservation: later ones may end it, and one that was captured may be reversed at any time.';

-- Ends a statement that needs records of a span without a partition. Readers know the code; the detail is the month.
create function refuse_archived(of_span smallint) returns void language plpgsql stable as $$
declare
  away text := coalesce((select x.month from archived_spans x where x.span = of_span), 'span ' || of_span);
begin
  raise exception 'Records of % are archived; lotbook journal restore % brings them back.', away, away
    using errcode = 'LB001', detail = away;
end
$$;

-- A span whose records a statement reads. The catalogue decides, which knows of a drop that the statement's snapshot does not.
create function span_here(of_span smallint) returns smallint language plpgsql stable as $$
begin
  if to_regclass('journal_' || of_span) is null then
    perform refuse_archived(of_span);
  end if;
  return of_span;
end
$$;

-- The archived spans with records of an account, and which of its records lie there.
create function archived_records(of_account bigint) returns table (span smallint, first_seq bigint, last_seq bigint)
language sql stable as $$
  select x.span, b.seq, e.seq from archived_spans x
    cross join lateral (
      select 1::bigint as seq where x.span = 0
      union all select s.first_seq from account_spans s where s.account = of_account and s.span = x.span
    ) b
    cross join lateral (
      select coalesce(
        (select s.first_seq - 1 from account_spans s where s.account = of_account and s.span > x.span order by s.first_seq limit 1),
        (select a.seq from accounts a where a.number = of_account)) as seq
    ) e
  where b.seq <= e.seq
$$;

-- The span of an account's record `first`. Refuses if an archived span has one of its records from `first` to `last`.
create function records_here(of_account bigint, first bigint, last bigint) returns smallint language plpgsql stable as $$
declare
  low smallint := coalesce((select l.span from account_spans l where l.account = of_account and l.first_seq <= records_here.first
    order by l.first_seq desc limit 1), 0);
  away smallint;
begin
  if low <= (select max(x.span) from archived_spans x) then
    select min(r.span) into away from archived_records(of_account) r
      where r.first_seq <= records_here.last and r.last_seq >= records_here.first;
    if away is not null then
      perform refuse_archived(away);
    end if;
  end if;
  return low;
end
$$;

-- True, or refused if an archived span has records of an account that may be of these times (ms; null: no bound).
create function account_here(of_account bigint, since bigint default null, until bigint default null) returns boolean
language plpgsql stable as $$
declare
  away smallint;
begin
  if exists (select from archived_spans x where (since is null or x.last_at >= since) and (until is null or x.first_at <= until)) then
    select min(r.span) into away from archived_records(of_account) r join archived_spans x on x.span = r.span
      where (since is null or x.last_at >= since) and (until is null or x.first_at <= until);
    if away is not null then
      perform refuse_archived(away);
    end if;
  end if;
  return true;
end
$$;
create function accounts_here(of_accounts bigint[]) returns boolean language sql stable as $$
  select coalesce(bool_and(account_here(a)), true) from unnest(of_accounts) a
$$;

-- True, or refused if an archived span has records that were written at these times (ms; null: no bound).
create function written_here(since bigint, until bigint) returns boolean language plpgsql stable as $$
declare
  away smallint := (select min(x.span) from archived_spans x
    where (since is null or x.last_written >= since) and (until is null or x.first_written <= until));
begin
  if away is not null then
    perform refuse_archived(away);
  end if;
  return true;
end
$$;

-- The first archived span with records of some accounts after a place of the feed; 32767: none. Refuses if none of their records
-- before it is after the place.
create function first_archived(of_accounts bigint[], from_span smallint, after_epoch int, after_transaction xid8,
  after_account bigint, after_seq bigint) returns smallint language plpgsql stable as $$
declare
  away smallint;
begin
  select min(x.span) into away from archived_spans x
    where x.span >= from_span
      and (x.last_epoch, x.last_transaction, x.last_account, x.last_seq) > (after_epoch, after_transaction, after_account, after_seq)
      and exists (select from unnest(of_accounts) a(number) cross join lateral archived_records(a.number) r where r.span = x.span);
  if away is null then
    return 32767;
  end if;
  if not exists (
    select from journal j where j.account = any(of_accounts) and j.span >= from_span and j.span < away
      and (j.epoch, j.transaction, j.account, j.seq) > (after_epoch, after_transaction, after_account, after_seq)
  ) then
    perform refuse_archived(away);
  end if;
  return away;
end
$$;

-- The first record since an instant may be archived: records before that of the partitions.
alter function first_committed(bigint) rename to first_committed_here;
create function first_committed(since bigint)
returns table (epoch int, transaction xid8, account bigint, seq bigint) language plpgsql stable as $$
#variable_conflict use_column
declare
  place record;
  away smallint;
begin
  select f.* into place from first_committed_here(since) f;
  select min(x.span) into away from archived_spans x
    where case when (select i.environment = 'sandbox' from installation i) then x.last_at else x.last_written end >= since
      and (place.epoch is null or (x.last_epoch, x.last_transaction) < (place.epoch, place.transaction));
  if away is not null then
    perform refuse_archived(away);
  end if;
  if place.epoch is not null then
    return query select place.epoch, place.transaction, place.account, place.seq;
  end if;
end
$$;

-- An epoch is over by its newest record, archived or not.
do $$
declare
  before text := pg_get_functiondef('begin_epoch'::regproc);
  after text := replace(before, '    limit 1 into newest;
', '    limit 1 into newest;
  newest := coalesce(newest, (select x.last_transaction from archived_spans x
    where x.last_epoch = (select epoch from installation) order by x.span desc limit 1));
');
begin
  if length(after) <> length(before) + 168 then
    raise exception 'begin_epoch is not as 0001 has made it';
  end if;
  execute after;
end
$$;

-- An account's first record of a span, where it has no entry and the span before is archived.
do $$
declare
  before text := pg_get_functiondef('append_announced'::regproc);
  after text := replace(before,
    '            order by e.n desc limit 1),
          (select max(s.first_n)',
    '            order by e.n desc limit 1),
          (select x.next_n from archived_accounts x
            where x.account = r.account and x.span = (select a.span from accounts a where a.number = r.account)),
          (select max(s.first_n)');
begin
  if length(after) <> length(before) + 166 then
    raise exception 'append_announced is not as 0056 has made it';
  end if;
  execute after;
end
$$;

-- Gives a new partition of a span what every one has. Its settings are those of the present span's: span 0 may be archived.
create function dress_partition(part text, parent text, of_span smallint) returns void language plpgsql as $$
declare
  col name;
begin
  execute format('alter table %I add constraint %I primary key (account, %I)', part, parent || '_' || of_span || '_pkey',
    case parent when 'journal' then 'seq' else 'n' end);
  execute format('alter table %I set (%s)', part, (select array_to_string(c.reloptions, ', ') from pg_class c
    where c.oid = (parent || '_' || (select i.span from installation i))::regclass));
  -- For the reason in 0001.
  for col in select a.attname from pg_attribute a where a.attrelid = part::regclass and a.attnum > 0 loop
    execute format('alter table %I alter column %I set statistics 1', part, col);
  end loop;
  if parent = 'journal' then
    execute format('create index %I on %I (epoch, transaction)', 'journal_' || of_span || '_in_order', part);
  end if;
  execute format('create trigger %I before update or delete or truncate on %I for each statement execute function refuse_change()',
    parent || '_append_only', part);
end
$$;

-- As 0054.
create or replace function prepare_spans() returns void language plpgsql security definer set lock_timeout = '250ms' as $$
declare
  number smallint;
  parent text;
begin
  if to_regclass('journal_' || (select i.span + 2 from installation i)) is not null then
    return;
  end if;
  -- Two concurrent calls make each partition once.
  lock table journal, ledger_entries in share update exclusive mode;
  for number in select i.span + ahead from installation i, generate_series(1, 2) ahead loop
    continue when to_regclass('journal_' || number) is not null;
    foreach parent in array array['ledger_entries', 'journal'] loop
      execute format('create table %I (like %I including defaults)', parent || '_' || number, parent);
      perform dress_partition(parent || '_' || number, parent, number);
    end loop;
    foreach parent in array array['ledger_entries', 'journal'] loop
      execute format('alter table %I attach partition %I for values in (%s)', parent, parent || '_' || number, number);
    end loop;
  end loop;
end
$$;
do $$
begin
  execute format('alter function prepare_spans() set search_path = %I, pg_temp', current_schema());
end
$$;

-- Keeps what reads need of a span, and returns the span's row as it will be, without its file. Safe to repeat.
create function keep_of_span(of_span smallint) returns archived_spans language plpgsql as $$
declare
  found archived_spans;
begin
  execute format('select count(*), min(at), max(at), min(written_at), max(written_at) from journal_%s', of_span)
    into found.records, found.first_at, found.last_at, found.first_written, found.last_written;
  execute format('select count(*), least($1, min(extract(epoch from occurred_at) * 1000)::bigint),
      greatest($2, max(extract(epoch from occurred_at) * 1000)::bigint) from ledger_entries_%s', of_span)
    using found.first_at, found.last_at into found.entries, found.first_at, found.last_at;
  execute format('select epoch, transaction, account, seq from journal_%s
      order by epoch desc, transaction desc, account desc, seq desc limit 1', of_span)
    into found.last_epoch, found.last_transaction, found.last_account, found.last_seq;
  found.span := of_span;
  found.month := (select to_char(s.began_at at time zone 'UTC', 'YYYY-MM') from spans s where s.span = of_span);

  execute format($statement$
    insert into archived_accounts as k (account, span, enrolled_at, first_accrual, balances, next_n)
      select s.account, s.span, (select j.at from journal_%1$s j where j.account = s.account and j.seq = 1),
        (select e.n from ledger_entries_%1$s e where e.account = s.account and e.operation = 'accrual' order by e.n limit 1),
        j.balances,
        coalesce((select e.n + 1 from ledger_entries_%1$s e where e.account = s.account order by e.n desc limit 1),
          (select l.first_n from account_spans l where l.account = s.account and l.span = s.span), 1)
      from sealed_accounts s join journal_%1$s j on j.account = s.account and j.seq = s.seq where s.span = %1$s
    on conflict (account) do update set
      enrolled_at = coalesce(k.enrolled_at, excluded.enrolled_at), first_accrual = least(k.first_accrual, excluded.first_accrual),
      span = greatest(k.span, excluded.span),
      balances = case when excluded.span >= k.span then excluded.balances else k.balances end,
      next_n = case when excluded.span >= k.span then excluded.next_n else k.next_n end
  $statement$, of_span);
  execute format($statement$
    insert into archived_holds (account, seq, at, version, events)
      select j.account, j.seq, j.at, j.version, j.events from journal_%s j where j.events like '%%"reserved"%%'
    on conflict do nothing
  $statement$, of_span);
  return found;
end
$$;

-- Drops a span's partitions, whose file has been compared with them. Groups wait meanwhile; it gives up early, and the caller
-- retries later. Never the present span, the one before it, or one without a seal.
create function drop_span(given archived_spans) returns void language plpgsql set lock_timeout = '250ms' as $$
begin
  -- A snapshot of before would lack the records, and not say so.
  perform pg_advisory_xact_lock(7270013);
  perform pg_advisory_xact_lock(7270001);
  if not exists (select from seals s where s.span = given.span) or given.span >= (select i.span - 1 from installation i) then
    raise exception 'span % is not sealed, or too new', given.span;
  end if;
  -- The tables and the partitions to drop alone: autovacuum of another partition would be waited for, and tills with it.
  execute format('lock table only journal, only ledger_entries, journal_%1$s, ledger_entries_%1$s in access exclusive mode', given.span);
  given.archived_at := clock_timestamp();
  insert into archived_spans select (given).*;
  execute format('alter table journal detach partition journal_%s', given.span);
  execute format('alter table ledger_entries detach partition ledger_entries_%s', given.span);
  execute format('drop table journal_%1$s, ledger_entries_%1$s', given.span);
end
$$;

-- A sandbox that is started over has no archived spans.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'account_spans, seals, ', 'account_spans, archived_spans, archived_accounts, archived_holds, seals, ');
begin
  if length(after) <> length(before) + length('archived_spans, archived_accounts, archived_holds, ') then
    raise exception 'reset_sandbox is not as 0059 has made it';
  end if;
  execute after;
end
$$;
