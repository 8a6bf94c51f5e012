-- Segments: audiences of members, as a list or by rules. Times are milliseconds since 1970, of the service's clock.

create table segments (
  n bigint primary key generated always as identity,
  segment_id text not null unique,
  program_id text not null,
  name text not null,
  rules json,
  conditions int not null,
  members int not null,
  version bigint not null default 1,
  created_at bigint not null,
  updated_at bigint not null,
  check ((rules is null) = (conditions = 0))
);
comment on table segments is 'Audiences of a programme: static ones list members, dynamic ones have rules.';
comment on column segments.rules is 'JSON as it was sent; null: the segment is static.';
comment on column segments.conditions is 'Conditions in its own rules; 0: the segment is static.';
comment on column segments.members is 'Members that a static segment lists.';
create index segments_program on segments (program_id, n);

create table segment_members (
  segment_id text not null references segments (segment_id) on delete cascade,
  account bigint not null,
  primary key (segment_id, account)
);
comment on table segment_members is 'The members of static segments; one that was merged since counts as the member that remains.';

create table segment_references (
  segment_id text not null references segments (segment_id) on delete cascade,
  refers_to text not null references segments (segment_id),
  primary key (segment_id, refers_to)
);
comment on table segment_references is 'Segments that the rules of others name (in_segment). Never a circle: changes of a programme''s segments take segments_lock.';
create index segment_references_to on segment_references (refers_to);

-- Segments of a programme change one after the other, so that no two changes close a circle together.
create function segments_lock(of_program text) returns void language sql as $$
  select pg_advisory_xact_lock(7270009, hashtext(of_program));
$$;
