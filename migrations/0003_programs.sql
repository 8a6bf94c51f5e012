-- Programmes: every definition that was ever in force, and which programmes are retired.

create table programs (
  program_id text not null,
  version int not null check (version > 0),
  published_at timestamptz(3) not null,
  published_by text not null,
  source text not null check (source in ('file', 'api', 'command', 'rollback')),
  note text,
  definition jsonb not null,
  hash bytea not null,
  primary key (program_id, version)
);
comment on table programs is 'Every definition that was ever in force, append-only. The newest version of each programme is in force.';
comment on column programs.hash is 'program_hash of the row: covers the version before it.';

-- The keyed hash of a version and of the hash of the version before it.
create function program_hash(p programs) returns bytea language sql stable as $$
  select keyed_hash('program', p.program_id, p.version::text, extract(epoch from p.published_at)::text, p.published_by,
    p.source, p.note, p.definition::text,
    (select encode(b.hash, 'hex') from programs b where b.program_id = p.program_id and b.version = p.version - 1))
$$;
create function hash_program() returns trigger language plpgsql as $$
begin
  new.hash := program_hash(new);
  return new;
end
$$;
create trigger programs_hash before insert on programs for each row execute function hash_program();
create trigger programs_append_only before update or delete or truncate on programs
  for each statement execute function refuse_change();

create table retired_programs (
  program_id text primary key,
  retired_at timestamptz(3) not null,
  retired_by text not null,
  reason text not null
);
comment on table retired_programs is 'The programmes that are retired. When a programme is restored, its row is deleted.';

alter table installation add column programs_revision int not null default 0;
comment on column installation.programs_revision is
  'Raised by every change of the programmes in force. A group of records that was decided under another revision is rejected.';

-- Takes the lock of the freeze exclusively, so that it waits for every group in flight. Later groups see the new revision.
create function raise_programs_revision() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7270001);
  update installation set programs_revision = programs_revision + 1;
  return null;
end
$$;
create trigger programs_raise_revision after insert on programs for each row execute function raise_programs_revision();
create trigger retired_programs_raise_revision after insert or delete on retired_programs
  for each row execute function raise_programs_revision();

-- Accounts of a programme with records that were not committed yet when (since_epoch, since_transaction) was the oldest
-- open transaction.
create function accounts_written_since(of_program text, since_epoch int, since_transaction xid8) returns setof bigint
language sql stable set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select distinct j.account from journal j join accounts a on a.number = j.account
  where (j.epoch, j.transaction) >= (since_epoch, since_transaction) and a.program_id = of_program
$$;

create table program_files (
  program_id text primary key,
  checksum text not null
);
comment on table program_files is 'Checksum of each programme file at the last start. A start publishes the files that have changed since.';
