-- Oldest: 0.3.0
-- A damaged seal is made again (contract/databases.md *Seals*): it is forgotten first, with those after it.

-- Forgets the last seal, or with span 0 all seals. Requires: no session seals. What needs states of before is refused: those of
-- archived spans cannot be made again, and the states before the last seal go once the next seal has begun.
create function forget_seals(from_span smallint) returns void language plpgsql as $$
declare
  last_span smallint;
  away smallint;
begin
  -- No span is archived meanwhile.
  perform pg_advisory_xact_lock_shared(7270013);
  last_span := (select max(s.span) from seals s);
  if from_span <> 0 and from_span is distinct from last_span then
    raise exception 'The last seal is that of span %; with 0 all seals are made again.', coalesce(last_span::text, '(none)');
  end if;
  away := (select min(x.span) from archived_spans x where x.span >= from_span);
  if away is not null then
    perform refuse_archived(away);
  end if;
  if from_span > 0 and exists (
    select from sealed_accounts s cross join lateral (
        select coalesce((select l.span from account_spans l where l.account = s.account and l.span < from_span
          order by l.first_seq desc limit 1), 0::smallint) as span offset 0
      ) before join sealed_accounts p on p.span = before.span and p.account = s.account
      where s.span = from_span and p.state is null
  ) then
    raise exception 'The next seal has begun, and states before span % are gone. Make all seals again, from span 0.', from_span;
  end if;
  alter table seals disable trigger seals_append_only;
  delete from seals s where s.span >= from_span;
  alter table seals enable trigger seals_append_only;
  delete from sealed_accounts s where s.span >= from_span;
end
$$;
