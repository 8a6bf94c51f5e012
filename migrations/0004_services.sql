-- The nodes of a database with their partitions, and the environment.

alter table installation add column environment text check (environment in ('live', 'sandbox'));
comment on column installation.environment is 'Set by the first start; a service of the other environment is refused.';

create table nodes (
  id text primary key,
  address text not null,
  protocol int not null,
  version text not null,
  process integer,
  joined_at timestamptz not null default clock_timestamp(),
  beat bigint not null default 0,
  beat_at bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  wants boolean not null default false,
  leaves boolean not null default false,
  dead boolean not null default false
) with (fillfactor = 10);
comment on table nodes is
  'The services that own partitions. A node whose beat stands still is declared dead, its sessions are ended, and its row is deleted: only then may others claim its partitions.';
comment on column nodes.id is 'Part of the application_name of all its sessions; new with each start.';
comment on column nodes.address is 'Host and port of the link between nodes.';
comment on column nodes.protocol is 'Nodes of a newer protocol own nothing until those of an older one have left.';
comment on column nodes.wants is 'It takes partitions: not before it can answer for them, and not while it leaves.';
comment on column nodes.leaves is 'It hands its partitions over, or has done so.';
comment on column nodes.beat_at is 'PostgreSQL''s time at the last beat, ms since 1970.';

-- True while the node may write.
create function is_live(of_node text) returns boolean language sql stable as $$
  select exists (select from nodes n where n.id = of_node and not n.dead)
$$;

create table partitions (
  partition int primary key check (partition between 0 and 255),
  owner text,
  epoch bigint not null default 0
) with (fillfactor = 50);
comment on table partitions is
  'The node that owns the accounts with this number modulo 256. Claimable: the owner is null, or has no row in nodes.';
comment on column partitions.epoch is 'Counts claims and releases.';
insert into partitions (partition) select generate_series(0, 255);

create table newest_beat (
  only_row boolean primary key default true check (only_row),
  at bigint
);
comment on table newest_beat is
  'One row: PostgreSQL''s time at the newest beat of a node that has gone, or when an operator confirmed the clock, ms since 1970.';
insert into newest_beat default values;

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
