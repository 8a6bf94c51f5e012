-- Oldest: 0.3.0
-- E-mail that waits to be sent (contract/mail.md *Sending*).

create table mails (
  mail_id uuid primary key,
  kind text not null,
  sealed bytea not null,
  created_at bigint not null,
  due_at bigint not null,
  until bigint not null,
  attempts int not null default 0
);
comment on table mails is 'Mail that waits to be sent. A row goes once the mail server has taken or refused it, or its time is over.';
comment on column mails.mail_id is 'Part of the Message-ID, so that a mailbox that gets a mail again after a kill can tell.';
comment on column mails.kind is 'What it is about: a word without personal data, as in the metrics.';
comment on column mails.sealed is 'Encrypted: JSON of address, subject, text and HTML.';
comment on column mails.due_at is 'When it is sent next, ms; while a node sends it, when another may.';
comment on column mails.until is 'When it is of no use any more, ms.';
create index mails_due on mails (due_at);
