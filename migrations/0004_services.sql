-- Several services on one database: the active one, and the environment.

alter table installation add column environment text check (environment in ('live', 'sandbox'));
comment on column installation.environment is 'Set by the first start; a service of the other environment is refused.';

create table active_service (
  only_row boolean primary key default true check (only_row),
  holder text,
  process integer,
  beat bigint not null default 0,
  beat_at bigint
) with (fillfactor = 10);
comment on table active_service is
  'One row: the service that may answer and its heartbeat. To replace the holder, compare and set holder and beat.';
comment on column active_service.holder is 'Part of the application_name of all its sessions; null after a graceful stop.';
comment on column active_service.beat_at is 'PostgreSQL''s time at the last heartbeat, or at the last confirmation of the clock, ms since 1970.';
insert into active_service default values;

alter table installation add column lost_records bigint not null default 0;
comment on column installation.lost_records is
  'Acknowledged records that services had in memory when they found that this database lacks them.';

create table durability (
  only_row boolean primary key default true check (only_row),
  commits bigint not null default 0
) with (fillfactor = 10);
comment on table durability is
  'One row: a service that cannot know whether everything it reads is durable updates it and waits for the commit.';
insert into durability default values;

create table sandbox_clock (
  only_row boolean primary key default true check (only_row),
  now bigint
);
comment on table sandbox_clock is 'One row: the time of the sandbox''s clock, ms since 1970, stored with each move; null in a live database.';
insert into sandbox_clock default values;
