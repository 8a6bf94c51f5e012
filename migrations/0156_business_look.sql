-- Oldest: 0.3.0
-- The look of the business in the console and in mails (contract/operators.md *The business's look*). One row at most.
-- Times are milliseconds since 1970 by the machine's clock.

create table business_look (
  is_only boolean primary key default true check (is_only),
  name text,
  colour text,
  png bytea,
  width int,
  height int,
  sha256 text,
  changed_at bigint not null,
  check (num_nulls(png, width, height, sha256) in (0, 4))
);
comment on table business_look is 'The name, colour and logo of the business. Everybody may see them.';
comment on column business_look.sha256 is 'Of the picture, hexadecimal: its address changes with it.';
