-- Oldest: 0.3.0
-- Spans: the records of some months each lie in a partition of their own. This file and the next five make span 0 of the
-- tables that are there, while nodes write to them: a column with a default and a check that nothing has verified yet
-- change no row; the check is verified beside writers; the verified check spares the attachment a look at the rows. Each
-- file is a transaction with one table in it, so that a statement that reads both tables cannot wait for one in a circle.
--
-- Names stay, so statements of older nodes read and write on.

alter table journal add column span smallint not null default 0;
alter table journal add constraint journal_span check (span = 0) not valid;
comment on column journal.span is 'The number of the partition.';
-- For the reason in 0001.
alter table journal alter column span set statistics 1;
