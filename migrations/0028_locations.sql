-- Oldest: 0.2.0
-- Names of restaurants (contract/operators.md *Locations*). Times are milliseconds since 1970 by the machine's clock.

create table locations (
  location_id text collate "C" primary key,
  name text not null,
  address text,
  time_zone text,
  brand text,
  updated_at bigint not null
);
comment on table locations is 'What people call the locations of orders. A location without a row is told by its id.';
