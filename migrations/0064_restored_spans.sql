-- Oldest: 0.3.0
-- Archived spans come back (contract/databases.md *Archive*): their rows are loaded beside the tables, and attached whole.

-- Makes empty tables for a span's rows, instead of those that a killed run has left.
create function begin_restore(of_span smallint) returns void language plpgsql as $$
declare
  parent text;
begin
  foreach parent in array array['journal', 'ledger_entries'] loop
    execute format('drop table if exists %I', parent || '_restored_' || of_span);
    execute format('create table %I (like %I including defaults)', parent || '_restored_' || of_span, parent);
  end loop;
end
$$;

-- What takes long, before the tables are attached.
create function dress_restored(of_span smallint) returns void language plpgsql as $$
declare
  parent text;
begin
  foreach parent in array array['journal', 'ledger_entries'] loop
    perform dress_partition(parent || '_restored_' || of_span, parent, of_span);
    -- Spares the attachment a look at the rows.
    execute format('alter table %I add constraint of_span check (span = %s)', parent || '_restored_' || of_span, of_span);
  end loop;
end
$$;

-- From then on the span is read as ever. Waits for no reader and no writer, save one that locks the whole table.
create function attach_restored(of_span smallint) returns void language plpgsql set lock_timeout = '250ms' as $$
declare
  parent text;
  part text;
begin
  foreach parent in array array['ledger_entries', 'journal'] loop
    part := parent || '_' || of_span;
    execute format('alter table %I rename to %I', parent || '_restored_' || of_span, part);
    execute format('alter table %I attach partition %I for values in (%s)', parent, part, of_span);
    execute format('alter table %I drop constraint of_span', part);
  end loop;
  delete from archived_spans x where x.span = of_span;
end
$$;
