-- Oldest: 0.3.0
-- append_keyed is told in which spans a key may be. maybe_keyed and maybe_spans: keys, and for each a span before known_span; in
-- the other ones before it there are none of the group's keys.

do $$
declare
  before text := pg_get_functiondef('append_keyed'::regproc);
  after text := before;
  caller text := pg_get_functiondef('append_announced'::regproc);
  called text := replace(caller, '''{}''::uuid[], 0::smallint, null)', '''{}''::uuid[], ''{}''::int[], 0::smallint, null)');
  changes constant text[] := array[
    ['maybe_keyed uuid[], known_span smallint', 'maybe_keyed uuid[], maybe_spans integer[], known_span smallint'],
    ['    maybe_keyed := ''{}'';
', '    maybe_keyed := ''{}'';
    maybe_spans := ''{}'';
'],
    ['    taken := exists (select from keys h where h.span < known_span and h.key = any(maybe_keyed));
', '    taken := exists (
      select from unnest(maybe_keyed, maybe_spans) m(key, span) cross join lateral (
        select from keys h where h.span = m.span::smallint and h.span < known_span and h.key = m.key offset 0
      ) held
    );
']
  ];
begin
  for at in 1..array_length(changes, 1) loop
    if length(replace(after, changes[at][1], '')) <> length(after) - length(changes[at][1]) then
      raise exception 'append_keyed is not as 0160 has made it: %', changes[at][1];
    end if;
    after := replace(after, changes[at][1], changes[at][2]);
  end loop;
  if called = caller then
    raise exception 'append_announced is not as 0160 has made it';
  end if;
  execute format('drop function %s', 'append_keyed'::regproc::regprocedure);
  execute after;
  execute called;
end
$$;
