-- Oldest: 0.3.0
-- Mails of campaigns to guests who agreed (contract/engagement.md *Mails of campaigns*).

alter table campaigns add column mail jsonb;
comment on column campaigns.mail is 'JSON: subject, text, texts by language, days. Null: it mails nobody.';

create table confirmed_addresses (
  account bigint not null,
  address bytea not null,
  primary key (account, address)
);
comment on table confirmed_addresses is 'E-mail addresses to which a guest has got a code that was entered.';
comment on column confirmed_addresses.address is 'SHA-256 of the address in lower case: the profile has the address itself.';

create function address_hash(email text) returns bytea language sql immutable parallel safe as
  $$ select sha256(convert_to(lower(email), 'UTF8')) $$;

-- Guests who have signed in by a mailed code, and whose profile is as it was then.
insert into confirmed_addresses (account, address)
  select s.account, address_hash(p.email) from guest_sessions s join profiles p on p.account = s.account
    where s.signed_in_by = 'code' and p.email is not null and p.updated_at <= s.began_at
  on conflict do nothing;

create table campaign_mails (
  campaign_id text not null references campaigns (campaign_id),
  account bigint not null,
  claimed_at bigint not null,
  due_at bigint not null,
  begun_at bigint,
  attempts int not null default 0,
  outcome text check (outcome in ('sent', 'failed', 'skipped', 'rehearsed')),
  code text,
  at bigint,
  unsubscribed_at bigint,
  primary key (campaign_id, account),
  check ((outcome is null) = (at is null))
);
comment on table campaign_mails is 'Mails of campaigns, at most one for a guest. Times are milliseconds since 1970, of the service''s clock.';
comment on column campaign_mails.account is 'The guest. A merge moves the row to the account that remains.';
comment on column campaign_mails.begun_at is 'A node sends it. It is never begun twice: after a kill nobody knows whether it was sent.';
comment on column campaign_mails.outcome is 'Null: it waits, or is being sent. rehearsed: a sandbox would have sent it.';
comment on column campaign_mails.unsubscribed_at is 'When the guest withdrew her consent by this mail.';
create index campaign_mails_waiting on campaign_mails (campaign_id, due_at) where outcome is null and begun_at is null;
create index campaign_mails_begun on campaign_mails (begun_at) where outcome is null and begun_at is not null;
create index campaign_mails_account on campaign_mails (account);

-- Why a guest gets no mail of a campaign now; null: the guest gets it. A channel without its own consent takes that for the whole.
create function mail_refusal(of_account bigint) returns text language sql stable as $$
  select case
    when not exists (select from accounts a where a.number = of_account and a.status = 'active')
      or exists (select from erasures e where e.account = of_account)
      or exists (select from guest_settings s where s.account = of_account and s.leaves_at is not null) then 'not_active'
    when not exists (select from profiles p where p.account = of_account and p.email is not null) then 'no_email'
    when not coalesce(
        (select c.granted from current_consents c
          where c.account = of_account and c.purpose = 'marketing' and c.channel = 'email'),
        (select c.granted from current_consents c
          where c.account = of_account and c.purpose = 'marketing' and c.channel = ''),
        false) then 'no_consent'
    when not exists (select from profiles p
        join confirmed_addresses a on a.account = p.account and a.address = address_hash(p.email)
        where p.account = of_account) then 'not_confirmed'
  end
$$;

-- Claims the mails of a campaign for guests who have got something of it, once each, in the transaction that records it. Guests
-- who have a row are left out before anything is locked: a merge may hold that row, and wait for the new ones.
create function claim_campaign_mails(of_campaign text, receivers bigint[], now bigint) returns void language sql as $$
  insert into campaign_mails (campaign_id, account, claimed_at, due_at)
    select c.campaign_id, r.account, now, now
      from campaigns c cross join (select distinct unnest(receivers) as account) r
      where c.campaign_id = of_campaign and c.mail is not null and mail_refusal(r.account) is null
        and not exists (select from campaign_mails m where m.campaign_id = c.campaign_id and m.account = r.account)
      order by r.account
    on conflict (campaign_id, account) do nothing
$$;

-- As 0010 has made it, and claims mails.
create or replace function record_campaign_outcomes(of_node text, of_run bigint, done bigint, now bigint, outcomes json,
  reached_limit boolean, completes boolean)
returns text language plpgsql as $$
declare
  counts record;
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  with written as (
    update campaign_targets t set outcome = o.outcome, code = o.code, at = now
      from json_to_recordset(outcomes) o(account bigint, outcome text, code text)
      where t.run = of_run and t.account = o.account and t.outcome is null
      returning t.account, t.outcome
  )
  select count(*) filter (where outcome = 'issued') as issued, count(*) filter (where outcome = 'skipped') as skipped,
      count(*) filter (where outcome = 'failed') as failed, count(*) filter (where outcome = 'holdout') as holdout,
      array_agg(account) filter (where outcome = 'issued') as receivers
    into counts from written;
  if counts.issued > 0 then
    perform claim_campaign_mails(r.campaign_id, counts.receivers, now) from campaign_runs r where r.n = of_run;
  end if;
  update campaign_runs r set issued = r.issued + counts.issued, skipped = r.skipped + counts.skipped,
      failed = r.failed + counts.failed, holdout = r.holdout + counts.holdout, done_to = greatest(r.done_to, done),
      limit_reached = r.limit_reached or reached_limit,
      completed_at = case when completes then coalesce(r.completed_at, now) else r.completed_at end
    where r.n = of_run;
  return 'recorded';
end
$$;

-- As 0021 has made it, and claims mails.
create or replace function record_campaign_events(of_node text, of_campaign text, now bigint, outcomes json)
returns text language plpgsql as $$
declare
  given record;
begin
  if of_node is not null and not is_live(of_node) then
    return 'replaced';
  end if;
  with written as (
    update campaign_events e set outcome = o.outcome, code = o.code, receiver = o.receiver, at = now
      from json_to_recordset(outcomes) o(n bigint, outcome text, code text, receiver bigint)
      where e.n = o.n and e.campaign_id = of_campaign and e.outcome is null
      returning e.outcome, e.action, e.receiver
  )
  select count(*) as grants, coalesce(sum((w.action -> 'credit' ->> 'amount')::bigint), 0) as points,
      array_agg(w.receiver) as receivers
    into given from written w where w.outcome = 'issued';
  if given.grants > 0 then
    perform claim_campaign_mails(of_campaign, given.receivers, now);
    update campaigns c set triggered_grants = c.triggered_grants + given.grants,
        triggered_points = c.triggered_points + given.points
      where c.campaign_id = of_campaign;
  end if;
  return 'recorded';
end
$$;

-- Of two mails of a campaign the one that was begun counts, so that the guest who remains gets no second one.
create or replace function merge_guest(of_account bigint, from_account bigint) returns void language sql as $$
  update guest_sessions set account = of_account where account = from_account;
  update guest_links set account = of_account where account = from_account;
  update guest_codes set account = of_account where account = from_account;
  insert into guest_settings (account, language, leaves_at)
    select of_account, s.language, s.leaves_at from guest_settings s where s.account = from_account
  on conflict (account) do update set language = coalesce(guest_settings.language, excluded.language),
    leaves_at = least(guest_settings.leaves_at, excluded.leaves_at);
  delete from guest_settings where account = from_account;
  insert into confirmed_addresses (account, address)
    select of_account, c.address from confirmed_addresses c where c.account = from_account
  on conflict do nothing;
  delete from confirmed_addresses where account = from_account;
  with gone as (delete from campaign_mails where account = from_account returning *)
  insert into campaign_mails as m (campaign_id, account, claimed_at, due_at, begun_at, attempts, outcome, code, at, unsubscribed_at)
    select campaign_id, of_account, claimed_at, due_at, begun_at, attempts, outcome, code, at, unsubscribed_at from gone
  on conflict (campaign_id, account) do update set
    begun_at = coalesce(m.begun_at, excluded.begun_at),
    outcome = case when m.begun_at is null and excluded.begun_at is not null then excluded.outcome else m.outcome end,
    code = case when m.begun_at is null and excluded.begun_at is not null then excluded.code else m.code end,
    at = case when m.begun_at is null and excluded.begun_at is not null then excluded.at else m.at end,
    unsubscribed_at = least(m.unsubscribed_at, excluded.unsubscribed_at);
$$;

create or replace function erase_guests(accounts_erased bigint[]) returns void language sql as $$
  delete from guest_sessions where account = any(accounts_erased);
  delete from guest_links where account = any(accounts_erased);
  delete from guest_settings where account = any(accounts_erased);
  delete from guest_codes where account = any(accounts_erased);
  delete from confirmed_addresses where account = any(accounts_erased);
$$;

do $$
declare
  before text := pg_get_functiondef('reset_sandbox'::regproc);
  after text := replace(before, 'campaign_targets, ', 'campaign_targets, campaign_mails, confirmed_addresses, ');
begin
  if length(after) <> length(before) + length('campaign_mails, confirmed_addresses, ') then
    raise exception 'reset_sandbox is not as an earlier migration has made it';
  end if;
  execute after;
end
$$;
