-- Oldest: 0.3.0
-- Gifts that people ask others for (contract/people.md *Asking a manager*).

create table asks (
  ask_id text primary key,
  n bigint generated always as identity,
  program_id text not null,
  member_id text not null,
  gift text not null,
  reason text not null,
  look text not null,
  user_id text not null,
  asked_by text not null,
  asked_at bigint not null,
  ends_at bigint not null,
  status text not null check (status in ('open', 'doing', 'done', 'declined')),
  decided_user text,
  decided_by text,
  decided_at bigint,
  note text
);
comment on table asks is 'Gifts that people ask others for. Removed a week after they were asked.';
comment on column asks.gift is 'JSON, as the contract has it. The ask''s id is the identifier of the gift, so that it is given once.';
comment on column asks.look is 'The guest''s account and the number of its newest record when it was asked.';
comment on column asks.user_id is 'Who asked: a user, or a key.';
comment on column asks.ends_at is 'ms, by the machine''s clock, as the other times.';
comment on column asks.status is 'doing: decided_user gives it now, or was killed meanwhile: the next who approves gives the same gift.';
create index asks_program on asks (program_id, asked_at);
create index asks_user on asks (user_id, asked_at);

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'finance_closings, ', 'finance_closings, asks, ');
begin
  if length(after) <> length(before) + length('asks, ') then
    raise exception 'reset_sandbox is not as 0113 has made it';
  end if;
  execute after;
end
$$;
