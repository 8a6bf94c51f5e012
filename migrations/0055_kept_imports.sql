-- Oldest: 0.3.0
-- The rows of imports are deleted with time (contract/databases.md *Retention*).

alter table imports add column rows_deleted boolean not null default false;
comment on column imports.rows_deleted is
  'Its errors, and what it knew of its rows, were deleted because it ended, or was cut off, long ago. It does not go on.';
comment on table import_rows is
  'Rows that an import under way has done, which it does not do again; gone when it is complete, and long after it was cut off.';
create index imports_kept on imports (coalesce(completed_at, created_at)) where not rows_deleted;
