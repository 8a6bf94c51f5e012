-- Oldest: 0.3.0
-- Reads the journal once, beside readers and writers. Events and figures wait for this transaction's end.

alter table journal validate constraint journal_span;
