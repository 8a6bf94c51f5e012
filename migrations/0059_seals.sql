-- Oldest: 0.3.0
-- Seals (contract/databases.md *Seals*): a span that is over is verified once. Its seal has what was found, and the next span
-- is verified from it.

-- Claims of a span's records lie in the eras from that of its row to that of the next span's row: both begin under the same lock.
alter table spans add column era int;
comment on column spans.era is 'The era of claims when the span began; null: not known.';
do $$
declare
  before text := pg_get_functiondef('begin_span'::regproc);
  after text := replace(before,
    'insert into spans (span, epoch, transaction) select present.span + 1, i.epoch, pg_current_xact_id() from installation i;',
    'insert into spans (span, epoch, transaction, era)
        select present.span + 1, i.epoch, pg_current_xact_id(), (select max(e.era) from eras e) from installation i;');
begin
  if length(after) <> length(before) + 46 then
    raise exception 'begin_span is not as 0054 has made it';
  end if;
  execute after;
end
$$;

create table seals (
  span smallint primary key,
  sealed_at timestamptz not null default clock_timestamp(),
  accounts bigint not null,
  records bigint not null,
  entries bigint not null,
  sums text not null,
  digest bytea not null,
  hash bytea not null
);
comment on table seals is 'The spans that were verified after their end, from 0 without gaps; append-only.';
comment on column seals.accounts is 'Accounts with records in the span.';
comment on column seals.sums is 'JSON: [unit, sum of the span''s entries] of every unit with one.';
comment on column seals.digest is 'SHA-256 over the hashes of the span''s rows of sealed_accounts, by account.';
comment on column seals.hash is 'Keyed hash of the row, without sealed_at, and of the hash of the seal before it.';

create table sealed_accounts (
  span smallint not null,
  account bigint not null,
  seq bigint not null,
  chain uuid not null,
  version smallint not null,
  hash uuid not null,
  state text,
  primary key (span, account)
);
comment on table sealed_accounts is 'Each account with records in a span, after the last of them. It counts once the span has a seal.';
comment on column sealed_accounts.chain is 'The hash of that record.';
comment on column sealed_accounts.version is 'The format of state. Later versions of the service read it.';
comment on column sealed_accounts.state is 'JSON; null once the seal of a later span has a state of the account.';
-- For the reason in 0001.
alter table sealed_accounts
  alter column chain set statistics 1, alter column hash set statistics 1, alter column state set statistics 1;

alter table verifications add column after_span smallint;
comment on column verifications.after_span is 'The last sealed span, if it verified what came after alone; null: everything.';

create function seal_hash(s seals) returns bytea language sql stable as $$
  select keyed_hash('seal', s.span::text, s.accounts::text, s.records::text, s.entries::text, s.sums, encode(s.digest, 'hex'),
    (select encode(b.hash, 'hex') from seals b where b.span = s.span - 1))
$$;
create function hash_seal() returns trigger language plpgsql as $$
begin
  new.hash := seal_hash(new);
  return new;
end
$$;
create trigger seals_hash before insert on seals for each row execute function hash_seal();
create trigger seals_append_only before update or delete or truncate on seals
  for each statement execute function refuse_change();

-- A sandbox that is started over has spans of before without records, and eras from 0 on.
do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(replace(replace(replace(before,
    'account_spans, ', 'account_spans, seals, sealed_accounts, '),
    '  perform guard_spans(false);
', '  perform guard_spans(false);
  alter table seals disable trigger seals_append_only;
'),
    '  perform guard_spans(true);
', '  perform guard_spans(true);
  alter table seals enable trigger seals_append_only;
'),
    '  insert into eras (era, began) values (0, 0);
', '  insert into eras (era, began) values (0, 0);
  update spans set era = 0;
');
begin
  if length(after) <> length(before) + 52 + 109 then
    raise exception 'reset_sandbox is not as 0057 has made it';
  end if;
  execute after;
end
$$;
