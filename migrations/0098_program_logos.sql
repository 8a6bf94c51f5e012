-- Oldest: 0.3.0
-- Logos of the guests' pages (contract/operators.md *Logos*). Times are milliseconds since 1970 by the machine's clock.

create table program_logos (
  program_id text collate "C" primary key,
  png bytea not null,
  width int not null,
  height int not null,
  sha256 text not null,
  changed_at bigint not null
);
comment on table program_logos is 'The logo of each programme''s page for guests. Every guest may see it.';
comment on column program_logos.sha256 is 'Of the picture, hexadecimal: its address changes with it.';
