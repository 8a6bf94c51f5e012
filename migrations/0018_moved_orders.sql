-- Oldest: 0.2.0
-- Orders that operators move from one member to another (contract/operators.md *Moving an order*).

comment on column rollup_orders.account is 'The member that has the order, after all merges and moves.';

-- Gives moved orders to the members that have them now, and counts the orders of both members again.
create function move_orders(moves json) returns void language plpgsql as $$
declare
  touched bigint[];
begin
  select array_agg(distinct a) into touched
    from json_to_recordset(moves) m(account bigint, to_account bigint), unnest(array[m.account, m.to_account]) a;
  update rollup_orders o set account = m.to_account, earned_by = m.earned_by
    from json_to_recordset(moves) m(account bigint, order_id text, to_account bigint, earned_by bigint)
    where o.account = m.account and o.order_id = m.order_id;
  delete from rollup_buyers b where b.account = any(touched);
  insert into rollup_buyers (account, program_id, orders, spend, last_order, order_before)
    select o.account, min(o.program_id), count(*), sum(o.spend), max(o.at), (array_agg(o.at order by o.at desc))[2]
    from rollup_orders o where o.account = any(touched) group by o.account;
end
$$;

-- As change_rollups, for changes that may move orders. Moves come last: the rest of the change names the accounts that had
-- the orders before.
create function count_rollups(of_node text, seen bigint, epoch int, transaction xid8, account bigint, seq bigint, change json)
returns text language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  written text := change_rollups(of_node, seen, epoch, transaction, account, seq, change);
begin
  if written = 'changed' and json_array_length(change->'moved') > 0 then
    perform move_orders(change->'moved');
  end if;
  return written;
end
$$;
