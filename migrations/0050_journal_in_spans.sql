-- Oldest: 0.3.0
-- Each partition has a key of its own. Across partitions the first fence, the account's row, is the only one.

do $$
declare
  given record;
begin
  -- Waits for groups in flight. Later ones are planned anew, and find the parent by its name.
  alter table journal rename to journal_0;
  alter table journal_0 rename constraint journal_pkey to journal_0_pkey;
  alter index journal_in_order rename to journal_0_in_order;
  drop trigger journal_numbered on journal_0;
  create table journal (like journal_0 including defaults including comments) partition by list (span);
  alter table journal attach partition journal_0 for values in (0);
  alter table journal_0 drop constraint journal_span;

  -- A statement fires the triggers of the table that it names, save for truncate, which fires those of partitions too.
  create trigger journal_append_only before update or delete or truncate on journal
    for each statement execute function refuse_change();
  create trigger journal_numbered before insert on journal for each row when (new.announced = 0)
    execute function number_record();

  -- Running nodes have the rights of before, at once.
  execute format('alter table journal owner to %I',
    (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = 'journal_0'::regclass));
  for given in
    select g.privilege_type as kind, case when g.grantee = 0 then 'public' else format('%I', pg_get_userbyid(g.grantee)) end as role
    from pg_class c, aclexplode(c.relacl) g where c.oid = 'journal_0'::regclass and g.grantee <> c.relowner
  loop
    execute format('grant %s on journal to %s', given.kind, given.role);
    execute format('revoke %s on journal_0 from %s', given.kind, given.role);
  end loop;

  -- Records of one transaction share an entry of an index on it alone. A table with records keeps the index that it has,
  -- because another one would take hours.
  if not exists (select from journal_0) then
    drop index journal_0_in_order;
    create index journal_0_in_order on journal_0 (epoch, transaction);
  end if;
end
$$;
comment on table journal is 'The log: one record for each decision, in partitions by span. A partition''s key is the fence against a second owner.';

create or replace view ledger as
  select a.program_id, a.member_id, e.unit, e.n, e.operation, e.amount, e.occurred_at, e.expires_at, e.order_id,
    e.location_id, e.adjustment_id, e.reservation_id, e.classification, e.reason, e.qualifies_for_tier,
    e.placed_at, e.business_date, j.actor,
    split_part(j.origin, ' ', 1) as request_id, split_part(j.origin, ' ', 2) as source_system,
    split_part(j.origin, ' ', 3) as source_instance
  from ledger_entries e join accounts a on a.number = e.account join journal j on j.account = e.account and j.seq = e.seq;
