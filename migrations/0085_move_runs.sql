-- Oldest: 0.3.0
-- Runs of moves in, as their commands report them (contract/moving.md *Runs*).

create table move_runs (
  n bigint generated always as identity primary key,
  program_id text not null,
  run_id text not null,
  report jsonb not null,
  reported_by text not null,
  began_at bigint not null,
  reported_at bigint not null,
  unique (program_id, run_id)
);
comment on table move_runs is 'Runs of moves in. They hold no personal data.';
comment on column move_runs.report is 'The last report of the command, without its list of faults.';
comment on column move_runs.reported_at is 'When the command reported last, ms, by the machine''s time.';

create table move_run_faults (
  run bigint not null references move_runs on delete cascade,
  place int not null,
  fault jsonb not null,
  primary key (run, place)
);
comment on table move_run_faults is 'The first faults of a run, and rows that it left. They quote no cell.';

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'kept_adjustments, ', 'kept_adjustments, move_runs, move_run_faults, ');
begin
  if length(after) <> length(before) + length('move_runs, move_run_faults, ') then
    raise exception 'reset_sandbox is not as 0073 has made it';
  end if;
  execute after;
end
$$;
