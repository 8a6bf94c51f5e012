-- Oldest: 0.2.0
-- What a programme owed its guests at the end of each day (contract/engagement.md *Analytics*).

create table owed_closings (
  program_id text not null,
  day bigint not null,
  owed jsonb not null,
  primary key (program_id, day)
);
comment on table owed_closings is 'No rollup: it cannot be made again from the journal, because amounts of money keep the value that the programme had then. Days at whose end no node ran have no row.';
comment on column owed_closings.day is 'The day in the programme''s time zone, as the UTC midnight of its date, ms.';
comment on column owed_closings.owed is 'As loyalty.owed of analytics, without day.';

-- A sandbox that is started over owes nothing, and its clock may stand before the closings.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  tables text := 'owed_closings, ';
  after text := replace(before, 'campaign_targets, ', 'campaign_targets, ' || tables);
begin
  if length(after) <> length(before) + length(tables) then
    raise exception 'reset_sandbox is not as 0026 has made it';
  end if;
  execute after;
end
$$;
