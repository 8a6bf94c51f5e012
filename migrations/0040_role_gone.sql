-- Oldest: 0.2.0
-- People whom the company's provider gives no role any more (contract/people.md *OpenID Connect*).

alter table users add column role_gone_at bigint;
comment on column users.role_gone_at is 'When the provider told that it gives no role any more, ms; null: it gives one, or is not asked.';
