-- Oldest: 0.3.0
-- The ledger's entries as the journal in 0048.

alter table ledger_entries add column span smallint not null default 0;
alter table ledger_entries add constraint ledger_entries_span check (span = 0) not valid;
comment on column ledger_entries.span is 'The number of the partition: that of the entry''s record.';
-- For the reason in 0001.
alter table ledger_entries alter column span set statistics 1;
