-- Several services on one database: the one that is active, and the kind of time.

alter table installation add column environment text check (environment in ('live', 'sandbox'));
comment on column installation.environment is 'Set by the first start; a service of the other kind is refused.';

create table active_service (
  only_row boolean primary key default true check (only_row),
  holder text,
  process integer,
  beat bigint not null default 0,
  sandbox_now bigint
) with (fillfactor = 10);
comment on table active_service is
  'One row: the service that may answer and its heartbeat. To replace the holder, compare and set holder and beat.';
comment on column active_service.holder is 'In the application_name of all its sessions; null after a stop in order.';
comment on column active_service.sandbox_now is 'Where a sandbox''s clock stood at the last heartbeat, ms since 1970.';
insert into active_service default values;
