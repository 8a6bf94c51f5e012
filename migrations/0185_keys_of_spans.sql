-- Oldest: 0.3.0
-- Mends of 0160: a record has its key only where keys has it, and a span needs a partition of keys as it needs one of journal.

do $$
declare
  changes constant text[] := array[
    ['append_keyed', 'r.balances, r.announced, span_now, r.key, r.key_fingerprint',
      'r.balances, r.announced, span_now, case when apart then r.key end, case when apart then r.key_fingerprint end'],
    -- No record of a span without a partition for its keys could be written.
    ['begin_span', '    if to_regclass(''journal_'' || (present.span + 1)) is null
', '    if to_regclass(''journal_'' || (present.span + 1)) is null or to_regclass(''keys_'' || (present.span + 1)) is null
'],
    ['prepare_spans', '  if to_regclass(''journal_'' || (select i.span + 2 from installation i)) is not null then
', '  if not exists (
    select from installation i, generate_series(0, 2) n
      where to_regclass(''journal_'' || i.span + n) is null or to_regclass(''keys_'' || i.span + n) is null
  ) then
'],
    -- The present one has lost its partition if somebody dropped it.
    ['prepare_spans', 'generate_series(1, 2) ahead loop
    continue when', 'generate_series(0, 2) ahead loop
    if to_regclass(''journal_'' || number) is not null and to_regclass(''keys_'' || number) is null then
      perform make_keys(number);
    end if;
    continue when']
  ];
  before text;
begin
  for at in 1..array_length(changes, 1) loop
    before := pg_get_functiondef(changes[at][1]::regproc);
    if length(replace(before, changes[at][2], '')) <> length(before) - length(changes[at][2]) then
      raise exception '% is not as 0160 has made it: %', changes[at][1], changes[at][2];
    end if;
    execute replace(before, changes[at][2], changes[at][3]);
  end loop;
end
$$;
