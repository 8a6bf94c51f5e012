-- Oldest: 0.3.0
-- Wrong codes by the network that they come from (contract/guests.md *Wrong codes*).

create unlogged table wrong_codes (
  network uuid not null,
  kind text not null,
  began bigint not null,
  count integer not null,
  primary key (network, kind)
);
comment on table wrong_codes is 'Wrong codes of a network in the hour that began then, ms, by PostgreSQL''s time. Not logged: a crash may forget it.';
comment on column wrong_codes.network is 'Keyed hash of the network. Its address is in no table.';
create index wrong_codes_began on wrong_codes (began);

do $$
declare
  before constant text := pg_get_functiondef('reset_sandbox'::regproc);
  place constant text := 'guest_sessions, ';
  after constant text := replace(before, place, 'wrong_codes, ' || place);
begin
  if length(after) <> length(before) + length('wrong_codes, ') then
    raise exception 'reset_sandbox is not as an earlier migration has made it';
  end if;
  execute after;
end
$$;
