-- Oldest: 0.3.0
-- Verification from the last seal reads the accounts of later spans, not those of all years.
create index account_spans_span on account_spans (span);
