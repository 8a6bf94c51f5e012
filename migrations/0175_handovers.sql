-- Oldest: 0.3.0
-- Work that people hand over because they may not put it in force (contract/people.md *Handing over*).

create table handovers (
  handover_id text primary key,
  n bigint generated always as identity,
  program_id text not null,
  kind text not null check (kind in ('campaign', 'audience', 'program')),
  subject text not null,
  what text not null,
  reason text not null,
  look text not null,
  user_id text not null,
  handed_by text not null,
  handed_at bigint not null,
  ends_at bigint not null,
  status text not null check (status in ('open', 'done', 'declined')),
  decided_user text,
  decided_by text,
  decided_at bigint,
  note text
);
comment on table handovers is 'Work that people hand over. Removed four weeks later.';
comment on column handovers.subject is 'The campaign; empty: the programme. With kind and user_id it names the work that a new row takes the place of.';
comment on column handovers.what is 'JSON, as the contract has it, with the definition of a programme.';
comment on column handovers.look is 'Hash of the work as it was when it was handed over.';
comment on column handovers.ends_at is 'ms, by the machine''s clock, as the other times.';
create index handovers_program on handovers (program_id, handed_at);
create index handovers_user on handovers (user_id, handed_at);

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, ' asks, ', ' asks, handovers, ');
begin
  if length(after) <> length(before) + length('handovers, ') then
    raise exception 'reset_sandbox is not as 0143 has made it';
  end if;
  execute after;
end
$$;
