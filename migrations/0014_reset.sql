-- Starts a sandbox over (contract/databases.md *Write freeze*). What was configured stays: programmes with all
-- versions, tokens, sessions, segments, campaigns and connectors. What happened goes: members, journal, keys, audit and
-- everything made from them. Numbers of accounts go on, so that nothing that still names an account of before meets a
-- new one.
--
-- The service calls it after all its parts that keep something in memory have ended. now: the time at which the clock
-- stands then; entry: the first entry of the new audit. False: of_node is not the only node; then nothing was done.
create function reset_sandbox(of_node text, now bigint, entry jsonb) returns boolean language plpgsql as $$
begin
  -- Waits for every group in flight.
  perform pg_advisory_xact_lock(7270001);
  if (select i.environment from installation i) is distinct from 'sandbox' then
    raise exception 'only a sandbox is started over' using errcode = 'restrict_violation';
  end if;
  if not is_live(of_node) or (select count(*) from nodes) <> 1 then
    return false;
  end if;

  alter table journal disable trigger journal_append_only;
  alter table ledger_entries disable trigger ledger_entries_append_only;
  alter table audit disable trigger audit_append_only;
  truncate journal, ledger_entries, accounts, members, identities, issued_rewards, snapshots, claims, eras, audit,
    behaviour, profiles, consents, current_consents, shown_members, erasures, profile_counts, segment_members, campaign_runs,
    campaign_targets, imports, import_rows, import_errors, verifications;
  alter table journal enable trigger journal_append_only;
  alter table ledger_entries enable trigger ledger_entries_append_only;
  alter table audit enable trigger audit_append_only;
  -- Not truncated: the request that asks for this may have a key, and its transaction has read the table.
  delete from keyed_requests;

  insert into eras (era, began) values (0, 0);
  perform reset_rollups();
  update segments set members = 0 where rules is null;
  -- When they run next was reckoned from the former time.
  update campaigns set status = 'paused', next_at = null where status = 'active';
  update installation set epoch = epoch + 1, lost_records = 0;
  update sandbox_clock set now = reset_sandbox.now;
  update audit_heads h set n = 0, hash = '', seal = head_seal(h.chain, 0, '');
  perform append_audit(0, entry);
  return true;
end
$$;
