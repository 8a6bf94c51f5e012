/** Ways to damage one account's rows by hand, for a seeded choice among them. */

export type Pick = <A>(choices: ReadonlyArray<A>) => A

/** mulberry32: small, seeded, good enough to choose with. */
export const picker = (seed: number): Pick => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return (choices) => {
    const choice = choices[Math.floor(next() * choices.length)]
    if (choice === undefined) throw new Error("nothing to choose from")
    return choice
  }
}

/** One row of an account's, chosen by a number. */
const one = (table: string, account: number, by: number, key = "account") =>
  `ctid = (SELECT ctid FROM ${table} WHERE ${key} = ${account} ORDER BY md5(${by}::text || ctid::text) LIMIT 1)`

type Kind = (account: number, by: number) => string

const set =
  (table: string, change: string, key = "account"): Kind =>
  (account, by) =>
    `UPDATE ${table} SET ${change} WHERE ${one(table, account, by, key)}`

const drop =
  (table: string, key = "account"): Kind =>
  (account, by) =>
    `DELETE FROM ${table} WHERE ${one(table, account, by, key)}`

/** Changes a record that has a key with an end. */
const ofKeyed =
  (change: string): Kind =>
  (account, by) =>
    `UPDATE journal SET ${change} WHERE ctid = (SELECT ctid FROM journal WHERE account = ${account} AND key IS NOT NULL
      ORDER BY md5(${by}::text || ctid::text) LIMIT 1)`

const uuid = (by: number) => `md5(${by}::text)::uuid`

/** By table and what is done; each leaves exactly one row changed, missing or put in. */
export const kinds: Readonly<Record<string, Kind>> = {
  "journal.at": set("journal", "at = at + 1"),
  "journal.hash": set("journal", "hash = md5(hash::text)::uuid"),
  "journal.version": set("journal", "version = version + 1"),
  "journal.program_version": set("journal", "program_version = program_version + 1"),
  "journal.actor": set("journal", "actor = coalesce(actor, '') || 'x'"),
  "journal.origin": set("journal", "origin = coalesce(origin, '') || 'x'"),
  "journal.balances": set("journal", "balances = replace(balances, ']', ' ]')"),
  "journal.epoch": set("journal", "epoch = epoch + 1"),
  "journal.transaction": (account) => `UPDATE journal SET transaction = '3' WHERE account = ${account} AND seq = 2`,
  "journal.events": set("journal", "events = replace(events, '\"at\":1', '\"at\":2')"),
  "journal.events cut": set("journal", "events = left(events, -1)"),
  "journal.reply": set("journal", "reply = reply || ' '"),
  "journal.seq": set("journal", "seq = seq + 1000"),
  "journal deleted": drop("journal"),
  "journal inserted": (account) =>
    `INSERT INTO journal SELECT account, seq + 1, at, transaction, hash, epoch, program_version, version, actor, origin, events, reply, balances FROM journal
      WHERE account = ${account} ORDER BY seq DESC LIMIT 1`,
  "journal.events with what parts rows": set("journal", "events = events || E'\\x1e[]'"),
  "journal.reply with more behind it": set("journal", "reply = reply || E'\\x1fmore'"),
  "journal inserted before the first": (account) =>
    `INSERT INTO journal SELECT account, seq - 1, at, transaction, hash, epoch, program_version, version, actor, origin, events, reply, balances FROM journal
      WHERE account = ${account} AND seq = 1`,
  "journal inserted far off": (account) =>
    `INSERT INTO journal SELECT account, 9223372036854775807, at, transaction, hash, epoch, program_version, version, actor, origin, events, reply, balances FROM journal
      WHERE account = ${account} AND seq = 1`,
  "journal.key": ofKeyed("key = md5(key::text)::uuid"),
  "journal.key_fingerprint": ofKeyed("key_fingerprint = md5(key_fingerprint::text)::uuid"),
  "journal.key gone": ofKeyed("key = null"),
  "journal.key added": (account) =>
    `UPDATE journal SET key = gen_random_uuid(), key_fingerprint = gen_random_uuid() WHERE account = ${account} AND seq = 1`,
  "keys.fingerprint": set("keys", "fingerprint = md5(fingerprint::text)::uuid"),
  "keys.key": set("keys", "key = md5(key::text)::uuid"),
  "keys.seq": set("keys", "seq = seq + 1"),
  "keys.account": set("keys", "account = account + 5000"),
  "keys deleted": drop("keys"),
  "keys inserted": (account, by) =>
    `INSERT INTO keys VALUES (${uuid(by)}, ${uuid(by + 1)}, ${account}, ${1 + (by % 20)}, 0)`,
  "claims.fingerprint": set("claims", "fingerprint = md5(fingerprint::text)::uuid"),
  "claims.key": set("claims", "key = md5(key::text)::uuid"),
  "claims.seq": set("claims", "seq = seq + 1"),
  "claims.account": set("claims", "account = account + 5000"),
  "claims.era": set("claims", "era = era + 1"),
  "claims.era before the first": set("claims", "era = -1"),
  "claims deleted": drop("claims"),
  "claims inserted": (account, by) =>
    `INSERT INTO claims VALUES (${uuid(by)}, ${uuid(by + 1)}, ${account}, ${1 + (by % 20)}, 0)`,
  "ledger_entries.n": set("ledger_entries", "n = n + 1000"),
  "ledger_entries.seq": set("ledger_entries", "seq = seq + 1"),
  "ledger_entries.amount": set("ledger_entries", "amount = amount + 1"),
  "ledger_entries.occurred_at": set("ledger_entries", "occurred_at = occurred_at + interval '1 millisecond'"),
  "ledger_entries.expires_at": set("ledger_entries", "expires_at = coalesce(expires_at, now()) + interval '1 day'"),
  "ledger_entries.related_n": set("ledger_entries", "related_n = coalesce(related_n, 0) + 1"),
  "ledger_entries.operation": set(
    "ledger_entries",
    "operation = CASE operation WHEN 'manual' THEN 'accrual' ELSE 'manual' END::ledger_operation"
  ),
  "ledger_entries.unit": set("ledger_entries", "unit = 'visits'"),
  "ledger_entries.classification": set(
    "ledger_entries",
    "classification = CASE WHEN classification IS NULL THEN 'gift'::classification END"
  ),
  "ledger_entries.qualifies_for_tier": set(
    "ledger_entries",
    "qualifies_for_tier = CASE WHEN qualifies_for_tier IS NULL THEN true END"
  ),
  "ledger_entries.order_id": set(
    "ledger_entries",
    "order_id = CASE WHEN order_id IS NULL THEN '' ELSE order_id || 'x' END"
  ),
  "ledger_entries.location_id": set("ledger_entries", "location_id = CASE WHEN location_id IS NULL THEN '' END"),
  "ledger_entries.adjustment_id": set(
    "ledger_entries",
    "adjustment_id = CASE WHEN adjustment_id IS NULL THEN 'null' ELSE upper(adjustment_id) END"
  ),
  "ledger_entries.reservation_id": set(
    "ledger_entries",
    "reservation_id = CASE WHEN reservation_id IS NULL THEN '–' ELSE lower(reservation_id) || '!' END"
  ),
  "ledger_entries.placed_at": set("ledger_entries", "placed_at = coalesce(placed_at, now()) + interval '1 second'"),
  "ledger_entries.business_date": set("ledger_entries", "business_date = coalesce(business_date, '') || 'x'"),
  "ledger_entries.reason": set("ledger_entries", "reason = coalesce(reason, '') || ' '"),
  "ledger_entries deleted": drop("ledger_entries"),
  "ledger_entries inserted": (account) =>
    `INSERT INTO ledger_entries SELECT account, n + 1, seq, amount, occurred_at, expires_at, related_n, operation, unit
      FROM ledger_entries WHERE account = ${account} ORDER BY n DESC LIMIT 1`,
  "ledger_entries inserted before the first": (account) =>
    `INSERT INTO ledger_entries SELECT account, n - 1, seq, amount, occurred_at, expires_at, related_n, operation, unit
      FROM ledger_entries WHERE account = ${account} AND n = 1`,
  "ledger_entries.n far off": set("ledger_entries", "n = -n"),
  "ledger_entries.amount beyond whole numbers": set("ledger_entries", "amount = 9223372036854775807"),
  "ledger_entries.occurred_at beyond calendars": set("ledger_entries", "occurred_at = 'infinity'"),
  "ledger_entries.order_id for null": set("ledger_entries", "order_id = coalesce(order_id || 'x', E'\\x02')"),
  "ledger_entries.reason for null": set("ledger_entries", "reason = coalesce(reason || 'x', E'\\x02')"),
  "accounts.seq": set("accounts", "seq = seq - 1", "number"),
  "accounts.next_due": set("accounts", "next_due = next_due + 1", "number"),
  "accounts.next_due taken out": set("accounts", "next_due = NULL", "number"),
  "accounts.balance": set("accounts", "balance = balance + 1", "number"),
  "accounts.status": set("accounts", "status = 'closed'", "number"),
  "accounts.member_id": set("accounts", "member_id = member_id || 'x'", "number"),
  "accounts.program_id": set("accounts", "program_id = 'other'", "number"),
  "accounts.joined_at": set("accounts", "joined_at = joined_at + interval '1 second'", "number"),
  "accounts.joined_at by the least": set("accounts", "joined_at = joined_at + interval '1 microsecond'", "number"),
  "accounts deleted": drop("accounts", "number"),
  "identities.key": set("identities", "key = md5(key::text)::uuid"),
  "identities.seq": set("identities", "seq = seq + 1"),
  "identities.account": set("identities", "account = account + 5000"),
  "identities deleted": drop("identities"),
  "identities inserted": (account, by) => `INSERT INTO identities VALUES (${uuid(by)}, ${account}, 1)`,
  "members.identities": set("members", "identities = '[]'"),
  "members deleted": drop("members"),
  "issued_rewards.issued_reward_id": set("issued_rewards", "issued_reward_id = issued_reward_id || 'x'"),
  "issued_rewards.n": set("issued_rewards", "n = n + 1"),
  "issued_rewards.reward_id": set("issued_rewards", "reward_id = 'free-bowl'"),
  "issued_rewards.status": set("issued_rewards", "status = 'cancelled'"),
  "issued_rewards.issued_at": set("issued_rewards", "issued_at = issued_at - 1"),
  "issued_rewards.expires_at": set("issued_rewards", "expires_at = NULL"),
  "issued_rewards.redeemed_at": set("issued_rewards", "redeemed_at = coalesce(redeemed_at, 0) + 1"),
  "issued_rewards.cancelled_at": set("issued_rewards", "cancelled_at = 1"),
  "issued_rewards.cancellation_reason": set("issued_rewards", "cancellation_reason = ''"),
  "issued_rewards.artifact_type": set("issued_rewards", "artifact_type = 'qr_code'"),
  "issued_rewards.artifact_value": set("issued_rewards", "artifact_value = 'mine'"),
  "issued_rewards deleted": drop("issued_rewards"),
  "issued_rewards inserted": (account, by) =>
    `INSERT INTO issued_rewards SELECT account, 'more-${by}', n, reward_id, status, issued_at, expires_at, redeemed_at,
      cancelled_at, cancellation_reason, artifact_type, artifact_value FROM issued_rewards
      WHERE account = ${account} LIMIT 1`,
  "snapshots.seq": set("snapshots", "seq = seq - 1"),
  "snapshots.seq ahead": set("snapshots", "seq = seq + 1"),
  "snapshots.seq of no record": set("snapshots", "seq = -seq"),
  "snapshots.state": set("snapshots", "state = replace(state, '\"posted\":', '\"posted\":1')"),
  "snapshots.state cut": set("snapshots", "state = left(state, -7)"),
  "member_rollups.seq": set("member_rollups", "seq = seq - 1"),
  "member_rollups.program_id": set("member_rollups", "program_id = 'other'"),
  "member_rollups.member_id": set("member_rollups", "member_id = member_id || 'x'"),
  "member_rollups.status": set("member_rollups", "status = 'closed'"),
  "member_rollups.joined": set("member_rollups", "joined = joined + 1"),
  "member_rollups.tier_id": set("member_rollups", "tier_id = tier_id || 'x'"),
  "member_rollups.tier_period": set("member_rollups", "tier_period = tier_period + 1"),
  "member_rollups.period": set("member_rollups", "period = coalesce(period, 0) + 1"),
  "member_rollups.units": set("member_rollups", "units = replace(units, ',', ',1')"),
  "member_rollups deleted": drop("member_rollups"),
  "member_rollups.points_posted": set("member_rollups", "points_posted = points_posted + 1"),
  "member_rollups.points_reserved": set("member_rollups", "points_reserved = NULL"),
  "member_rollups.visits_posted": set("member_rollups", "visits_posted = coalesce(visits_posted, 0) + 1"),
  "rollup_member_lots.account": set("rollup_member_lots", "account = account + 5000"),
  "rollup_member_lots.unit": set("rollup_member_lots", "unit = 'custom'"),
  "rollup_member_lots.expires_at": set("rollup_member_lots", "expires_at = expires_at - 1000000000000"),
  "rollup_member_lots.amount": set("rollup_member_lots", "amount = amount - 1"),
  "rollup_member_lots deleted": drop("rollup_member_lots"),
  "rollup_orders.account": set("rollup_orders", "account = account + 5000"),
  "rollup_orders.order_id": set("rollup_orders", "order_id = order_id || 'x'"),
  "rollup_orders.program_id": set("rollup_orders", "program_id = 'other'"),
  "rollup_orders.at": set("rollup_orders", "at = at - 1"),
  "rollup_orders.location_id": set("rollup_orders", "location_id = NULL"),
  "rollup_orders.business": set("rollup_orders", "business = business + 86400000"),
  "rollup_orders.accrued": set("rollup_orders", "accrued = accrued + 1"),
  "rollup_orders.earned_by": set("rollup_orders", "earned_by = earned_by + 5000"),
  "rollup_orders.delta": set("rollup_orders", "delta = delta - 1"),
  "rollup_orders.is_closed": set("rollup_orders", "is_closed = NOT is_closed"),
  "rollup_orders.counts": set("rollup_orders", "counts = NOT counts"),
  "rollup_orders deleted": drop("rollup_orders"),
  "rollup_buyers.account": set("rollup_buyers", "account = account + 5000"),
  "rollup_buyers.program_id": set("rollup_buyers", "program_id = 'other'"),
  "rollup_buyers.orders": set("rollup_buyers", "orders = orders + 1"),
  "rollup_buyers.spend": set("rollup_buyers", "spend = spend - 1"),
  "rollup_buyers.last_order": set("rollup_buyers", "last_order = last_order + 1"),
  "rollup_buyers.order_before": set("rollup_buyers", "order_before = coalesce(order_before, 0) + 1"),
  "rollup_buyers deleted": drop("rollup_buyers")
}
