-- Oldest: 0.3.0
-- An import can be taken back (contract/engagement.md *Taking an import back*). Columns without a value lock both tables for a
-- moment; tills use neither.

alter table imports add column taken_back_at bigint, add column taken_back_by text;
comment on column imports.taken_back_at is 'When it was taken back as a whole; null: it was not.';
comment on column imports.taken_back_by is 'The name of the caller that took it back.';

alter table import_rows add column account bigint, add column seq bigint, add column opening bigint;
comment on table import_rows is
  'What became of rows: an import under way does none again, and one that is taken back is read from here. Gone with time, and of imports that older versions completed.';
comment on column import_rows.account is 'The member''s account; null: the row has none, or an older version did it.';
comment on column import_rows.seq is 'The account''s newest record once the row was done. Later ones are of others.';
comment on column import_rows.opening is 'The account''s record with the opening balance; null: the row posted none.';
