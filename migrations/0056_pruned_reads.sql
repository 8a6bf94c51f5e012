-- Oldest: 0.3.0
-- Statements that look for records of an account name the span in which they lie.

-- An account's first record of a span, where it has no entry, looks for the newest entry in the span that the account
-- leaves. If there is none, no entry came since the account entered that span.
do $$
declare
  before text := pg_get_functiondef('append_announced'::regproc);
  after text := replace(before,
    '          (select e.n + 1 from ledger_entries e where e.account = r.account order by e.n desc limit 1), 1), span_now
',
    '          (select e.n + 1 from ledger_entries e
            where e.account = r.account and e.span = (select a.span from accounts a where a.number = r.account)
            order by e.n desc limit 1),
          (select max(s.first_n) from account_spans s where s.account = r.account), 1), span_now
');
begin
  if length(after) <> length(before) + 180 then
    raise exception 'append_announced is not as 0054 has made it';
  end if;
  execute after;
end
$$;

-- An entry lies in the span of its record.
create or replace view ledger as
  select a.program_id, a.member_id, e.unit, e.n, e.operation, e.amount, e.occurred_at, e.expires_at, e.order_id,
    e.location_id, e.adjustment_id, e.reservation_id, e.classification, e.reason, e.qualifies_for_tier,
    e.placed_at, e.business_date, j.actor,
    split_part(j.origin, ' ', 1) as request_id, split_part(j.origin, ' ', 2) as source_system,
    split_part(j.origin, ' ', 3) as source_instance
  from ledger_entries e join accounts a on a.number = e.account
    join journal j on j.account = e.account and j.seq = e.seq and j.span = e.span;
