-- Oldest: 0.3.0
-- Codes that a connector sends to guests' telephones (contract/guests.md *Codes to telephones*).

alter table connectors add column guest_codes boolean not null default false;
comment on column connectors.guest_codes is 'It sends codes to the telephones of guests, set by an owner.';

create table phone_codes (
  code_id uuid primary key,
  program_id text not null,
  sealed bytea not null,
  due_at bigint not null,
  until bigint not null,
  attempts int not null default 0
);
comment on table phone_codes is 'Codes that wait for a connector to take them. A row goes once it has, or the code is over.';
comment on column phone_codes.code_id is 'The webhook-id of each attempt, so that a receiver that gets a code again can tell.';
comment on column phone_codes.sealed is 'Encrypted: JSON of number, code, words and language.';
comment on column phone_codes.due_at is 'When it is sent next, ms; while a node sends it, when another may.';
comment on column phone_codes.until is 'When the code ends, ms.';
create index phone_codes_due on phone_codes (due_at);
create index phone_codes_until on phone_codes (until);

create table phone_code_days (
  program_id text primary key,
  day date not null,
  count int not null
);
comment on table phone_code_days is 'Codes that were sent to telephones in the newest day of each programme.';
comment on column phone_code_days.day is 'Of the programme''s zone, by the machine''s clock.';

do $$
declare
  before constant text := pg_get_functiondef('reset_sandbox'::regproc);
  place constant text := 'guest_sessions, ';
  added constant text := 'phone_codes, phone_code_days, ';
  after constant text := replace(before, place, added || place);
begin
  if length(after) <> length(before) + length(added) then
    raise exception 'reset_sandbox is not as an earlier migration has made it';
  end if;
  execute after;
end
$$;
