-- Oldest: 0.3.0
-- The ledger's entries as the journal in 0050.

do $$
declare
  given record;
begin
  alter table ledger_entries rename to ledger_entries_0;
  alter table ledger_entries_0 rename constraint ledger_entries_pkey to ledger_entries_0_pkey;
  create table ledger_entries (like ledger_entries_0 including defaults including comments) partition by list (span);
  alter table ledger_entries attach partition ledger_entries_0 for values in (0);
  alter table ledger_entries_0 drop constraint ledger_entries_span;

  create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
    for each statement execute function refuse_change();

  execute format('alter table ledger_entries owner to %I',
    (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = 'ledger_entries_0'::regclass));
  for given in
    select g.privilege_type as kind, case when g.grantee = 0 then 'public' else format('%I', pg_get_userbyid(g.grantee)) end as role
    from pg_class c, aclexplode(c.relacl) g where c.oid = 'ledger_entries_0'::regclass and g.grantee <> c.relowner
  loop
    execute format('grant %s on ledger_entries to %s', given.kind, given.role);
    execute format('revoke %s on ledger_entries_0 from %s', given.kind, given.role);
  end loop;
end
$$;
comment on table ledger_entries is
  'One row for each ledger entry, append-only, in partitions by span; n counts the account''s entries in the order of posting.';

create or replace view ledger as
  select a.program_id, a.member_id, e.unit, e.n, e.operation, e.amount, e.occurred_at, e.expires_at, e.order_id,
    e.location_id, e.adjustment_id, e.reservation_id, e.classification, e.reason, e.qualifies_for_tier,
    e.placed_at, e.business_date, j.actor,
    split_part(j.origin, ' ', 1) as request_id, split_part(j.origin, ' ', 2) as source_system,
    split_part(j.origin, ' ', 3) as source_instance
  from ledger_entries e join accounts a on a.number = e.account join journal j on j.account = e.account and j.seq = e.seq;

-- Switches the triggers that refuse changes on or off, of both tables and of their partitions.
create function guard_spans(guarded boolean) returns void language plpgsql as $$
declare
  guard record;
begin
  for guard in
    select t.tgrelid::regclass as of, t.tgname as name from pg_trigger t
    where t.tgname in ('journal_append_only', 'ledger_entries_append_only') and (
      t.tgrelid in ('journal'::regclass, 'ledger_entries'::regclass)
      or t.tgrelid in (
        select i.inhrelid from pg_inherits i where i.inhparent in ('journal'::regclass, 'ledger_entries'::regclass)
      ))
  loop
    execute format('alter table %s %s trigger %I', guard.of, case when guarded then 'enable' else 'disable' end, guard.name);
  end loop;
end
$$;

-- A sandbox that is started over empties the partitions too, whose triggers refuse it.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(replace(before,
    '  alter table journal disable trigger journal_append_only;
  alter table ledger_entries disable trigger ledger_entries_append_only;',
    '  perform guard_spans(false);'),
    '  alter table journal enable trigger journal_append_only;
  alter table ledger_entries enable trigger ledger_entries_append_only;',
    '  perform guard_spans(true);');
begin
  if length(after) <> length(before) - 203 then
    raise exception 'reset_sandbox is not as 0038 has made it';
  end if;
  execute after;
end
$$;
