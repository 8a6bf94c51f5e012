-- Oldest: 0.3.0
-- Reads the entries once, beside readers and writers. Events and figures wait for this transaction's end.

alter table ledger_entries validate constraint ledger_entries_span;
