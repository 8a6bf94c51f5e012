-- Oldest: 0.2.0
-- What an account tells at an instant at which no balance changes (contract/events.md *Warnings and tiers*). When that is
-- depends on the programme, so a row of accounts says by which version its next_due was computed.

alter table accounts add column due_version int not null default 0;
comment on column accounts.due_version is
  'The version of the programme by which next_due was computed; 0: by software that told no warnings and tiers. Lower than '
  'the version in force: a node computes it again, save of closed members.';
-- Of closed members nothing is told, so their next_due depends on no version.
create index accounts_due_version on accounts (program_id, due_version) where status <> 'closed';

alter table installation add column tells_from bigint not null default 0;
comment on column installation.tells_from is
  'No warning and no tier of a new period is told of an instant before this one (ms): older software has let it pass.';
update installation set tells_from = coalesce((select c.now from sandbox_clock c), (extract(epoch from now()) * 1000)::bigint)
  where exists (select from accounts);

-- Nodes of an older version call append_records, which numbers no events: the version of their next_due is 0.
do $$
declare
  before text := pg_get_functiondef('append_announced'::regproc);
  after text := replace(replace(before,
    'insert into accounts (number, seq, next_due, balance, status, program_id, member_id, joined_at)
      select o.number, 0, null, 0, ''active'', o.program_id, o.member_id, o.joined_at from unnest(opened) o',
    'insert into accounts (number, seq, next_due, due_version, balance, status, program_id, member_id, joined_at)
      select o.number, 0, null, case when r.announced = 0 then 0 else r.program_version end, 0, ''active'', o.program_id,
        o.member_id, o.joined_at
      from unnest(opened) o join unnest(records) r on r.account = o.number and r.seq = 1'),
    'set seq = r.seq, next_due = r.next_due, balance',
    'set seq = r.seq, next_due = r.next_due,
      due_version = case when r.announced = 0 then 0 else r.program_version end, balance');
begin
  -- The length of both changes.
  if length(after) <> length(before) + 230 then
    raise exception 'append_announced is not as 0015 has made it';
  end if;
  execute after;
end
$$;

-- The clock of a sandbox that is started over may stand before the upgrade.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'lost_records = 0;', 'lost_records = 0, tells_from = 0;');
begin
  if length(after) <> length(before) + length(', tells_from = 0') then
    raise exception 'reset_sandbox is not as 0016 has made it';
  end if;
  execute after;
end
$$;
