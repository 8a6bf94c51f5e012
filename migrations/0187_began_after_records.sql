-- Oldest: 0.3.0
-- A span that somebody begins while PostgreSQL's clock is behind begins no earlier than the newest record before it was written: its
-- keys end by that time. Not by the begin of the span before: a clock that was ahead then would hold up all later months.

do $$
declare
  before text := pg_get_functiondef('begin_span'::regproc);
  after text := replace(before,
    'insert into spans (span, epoch, transaction, era)
        select present.span + 1, i.epoch, pg_current_xact_id(), (select',
    'insert into spans (span, epoch, transaction, began_at, era)
        select present.span + 1, i.epoch, pg_current_xact_id(), greatest(clock_timestamp(), to_timestamp(newest / 1000.0)), (select');
begin
  if length(after) <> length(before) + length('began_at, greatest(clock_timestamp(), to_timestamp(newest / 1000.0)), ') then
    raise exception 'begin_span is not as 0185 has made it';
  end if;
  execute after;
end
$$;
