-- Oldest: 0.3.0
-- The language of a person's console and mails (contract/people.md *Own account*).

alter table users add column language text;
comment on column users.language is 'BCP 47, such as de. Null: nobody has chosen one.';
