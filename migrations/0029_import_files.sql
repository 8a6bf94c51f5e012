-- Oldest: 0.2.0
-- The name of an import's file (contract/engagement.md *Imports*).

alter table imports add column file_name text;
comment on column imports.file_name is 'As the caller named it; null: it had no name.';
comment on column import_errors.row is 'For CSV the row of the file, as spreadsheets count it; for JSON the item, from 1.';
