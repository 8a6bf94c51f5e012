-- Oldest: 0.3.0
-- A change of the rollups with what few changes have, merges, adjustments, moves and restored orders, apart: each look into the
-- text of a large change parses all of it.

create function count_rollups(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, change json,
  seams json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  written text;
begin
  if json_array_length(seams->'restored') > 0 then
    perform from rollup_progress p where p.changes = seen for update;
    if not found then
      return 'moved';
    end if;
    perform restore_orders(seams->'restored');
  end if;
  written := change_rollups(of_node, seen, epoch, transaction, account, seq, change);
  if written = 'changed' and json_array_length(seams->'merged') > 0 then
    with gone as (
      delete from rollup_older b using json_to_recordset(seams->'merged') c(account bigint, into_account bigint)
      where b.account = c.account returning c.into_account, b.*
    )
    insert into rollup_older as r (account, program_id, removed, orders, spend, last_order, order_before)
      select g.into_account, min(g.program_id), sum(g.removed), sum(g.orders), sum(g.spend), max(g.last_order),
        greatest(max(g.order_before), (array_agg(g.last_order order by g.last_order desc nulls last))[2])
      from gone g group by g.into_account
    on conflict on constraint rollup_older_pkey do update set removed = r.removed + excluded.removed,
      orders = r.orders + excluded.orders, spend = r.spend + excluded.spend,
      last_order = greatest(r.last_order, excluded.last_order),
      order_before = second_of(r.last_order, r.order_before, excluded.last_order, excluded.order_before);
  end if;
  if written = 'changed' and json_array_length(seams->'adjusted') > 0 then
    perform recount_orders(seams->'adjusted');
  end if;
  if written = 'changed' and json_array_length(seams->'moved') > 0 then
    perform move_orders(seams->'moved');
  end if;
  return written;
end
$$;

-- As 0061, for nodes of earlier versions.
create or replace function count_rollups(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint,
  change json)
returns text language sql as $$
  select count_rollups(of_node, seen, epoch, transaction, account, seq, change, change)
$$;

-- Only what a change takes away leaves nothing: the other rows are not looked at a second time.
do $$
declare
  before text := pg_get_functiondef('change_rollups'::regproc);
  after text := replace(replace(before,
    'using json_to_recordset(part.lots) c(program_id text, unit text, quarter bigint)
    where ', 'using json_to_recordset(part.lots) c(program_id text, unit text, quarter bigint, amount numeric)
    where c.amount < 0 and '),
    'using json_to_recordset(part.member_lots) c(account bigint, unit text, expires_at bigint)
    where ', 'using json_to_recordset(part.member_lots) c(account bigint, unit text, expires_at bigint, amount bigint)
    where c.amount < 0 and ');
begin
  if length(after) <> length(before) + length(', amount numeric' || ', amount bigint' || 'c.amount < 0 and c.amount < 0 and ') then
    raise exception 'change_rollups is not as 0045 has made it';
  end if;
  execute after;
end
$$;
