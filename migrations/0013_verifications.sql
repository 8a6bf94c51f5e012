-- What `journal verify` found, each time that it ran to its end.

create table verifications (
  n bigint primary key generated always as identity,
  at timestamptz(3) not null default clock_timestamp(),
  seconds real not null,
  share int not null,
  program_id text,
  accounts bigint not null,
  records bigint not null,
  entries bigint not null,
  differences bigint not null
);
comment on table verifications is 'Runs of journal verify, for the metrics and for people.';
comment on column verifications.share is 'Percent of the accounts that it verified.';
comment on column verifications.program_id is 'The only programme that it verified; null: all.';
