/**
 * `lotbook journal restore-expired`: reverses expirations that a wrong clock has posted
 * (contract/databases.md *Clock of the service*).
 */
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import type { ServiceTime } from "../../base/time/Times.ts"
import { Timestamp, toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { decodeRecord } from "../../core/account/Codec.ts"
import type { FoundEarly } from "../../core/account/domain/Action.ts"
import { Search } from "../../core/account/domain/Restoration.ts"
import { Journal } from "../../core/journal/Journal.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Bounds from "../../reads/reconcile/Bounds.ts"
import * as Settings from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { askDatabase, toExitCode } from "./AdminTarget.ts"
import { toggle } from "./Flags.ts"
import { checked, onDatabase, reason } from "./MemberCommands.ts"
import { printable } from "./StorageCommand.ts"

/** Accounts with records that were written in this range and have a later date than their writing, in order. */
const accountsStatement = `SELECT DISTINCT j.account, a.program_id AS program, a.member_id AS member FROM journal j
    JOIN accounts a ON a.number = j.account
  WHERE j.at - least(j.written_at, $3) > ${Bounds.datedAheadMs}
    AND j.written_at BETWEEN $1 AND $2 AND written_here($1, $2) ORDER BY 1`

/** An account's records of that kind, inside and outside of the range. */
const recordsStatement = `SELECT seq, written_at AS written,
    written_at BETWEEN $1 AND $2 AS chosen FROM journal
  WHERE at - least(written_at, $3) > ${Bounds.datedAheadMs} AND account = $4`

const accountRows = rowsOf(Schema.Struct({ account: Schema.Number, program: Schema.String, member: Schema.String }))
const recordRows = rowsOf(Schema.Struct({ seq: Schema.Number, written: Schema.Number, chosen: Schema.Boolean }))

interface Range {
  readonly from: number
  readonly until: number
  readonly now: number
}

const search = Effect.fnUntraced(function* (account: number, { from, now, until }: Range) {
  const { query } = yield* PeoplePool
  const journal = yield* Journal
  const rows = yield* recordRows(query(recordsStatement, [from, until, now, account].map(int8)))
  const wrong = new Map(rows.map(({ seq, written }) => [seq, Math.min(now, written)]))
  const found = new Search()
  for (let seq = 1; ; ) {
    const page = yield* journal.records(account, seq, Bounds.pageRecords)
    for (const record of page) found.read(record.seq, decodeRecord(record).events, wrong.get(record.seq))
    if (page.length < Bounds.pageRecords) break
    seq += page.length
  }
  return { found: found.found(now), isWhole: rows.every(({ chosen }) => chosen) }
})

const pointsOf = ({ lots }: FoundEarly): number => lots.reduce((sum, { share: [, points] }) => sum + points, 0)

const textOf = (found: FoundEarly): string => `${pointsOf(found)} points, ${found.rewards.length} rewards`

interface RestoreOptions {
  readonly from: number
  readonly until: number
  readonly reason: string
  readonly apply: boolean
}

const restore = Effect.fnUntraced(function* ({ apply, from, reason, until }: RestoreOptions, { now }: ServiceTime) {
  const { query } = yield* PeoplePool
  const accounts = yield* Accounts
  const range = { from, until, now: now() }
  const rows = yield* accountRows(query(accountsStatement, [from, until, range.now].map(int8)))
  const totals = { accounts: 0, points: 0, rewards: 0 }
  for (const { account, member, program } of rows) {
    const { found, isWhole } = yield* search(account, range)
    if (found.records === 0) continue
    const resident = yield* accounts.readOn(account, true)
    const isMerged = resident?._tag === "Resident" && resident.state.mergedInto !== undefined
    if (isMerged || !isWhole) {
      const why = isMerged ? "was merged into another member" : "also has such records outside of the range"
      yield* Console.log(printable(`${member} in ${program}: skipped, because it ${why} (${textOf(found)})`))
      continue
    }
    if (apply) {
      const audit = yield* Audit.entryOf({
        action: "member.restore_expired",
        subject: { type: "member", id: member },
        programId: program,
        changes: { after: { points: pointsOf(found), rewards: found.rewards.length } },
        reason
      })
      const outcome = yield* accounts.executeOn(account, () => ({
        action: { type: "restore_expired", found, reason },
        guards: {},
        actor: audit.actor.name,
        audit
      }))
      if (outcome === undefined) return yield* refuse("not_found", `There is no account ${account}.`)
      if (outcome._tag !== "Answered") return yield* refusedBy(outcome)
    }
    totals.accounts++
    totals.points += pointsOf(found)
    totals.rewards += found.rewards.length
    yield* Console.log(printable(`${member} in ${program}: ${textOf(found)}`))
  }
  const what = `${totals.points} points and ${totals.rewards} rewards of ${totals.accounts} members`
  yield* Console.log(apply ? `Restored ${what}.` : `Would restore ${what}. Nothing was posted; use --apply to post it.`)
})

const instant = (name: string, meaning: string) => Flag.withDescription(Flag.String(name), `${meaning}; required`)

export const restoreExpired = (open: Open) =>
  Command.make(
    "restore-expired",
    {
      ...Settings.storageFlags,
      from: instant("from", "when the wrong clock began, by PostgreSQL's clock, such as 2026-07-14T10:00:00Z"),
      until: instant("until", "its end"),
      reason,
      apply: toggle("apply", "post it (default: only show it)")
    },
    Effect.fnUntraced(function* ({ apply, from, reason, until, ...flags }) {
      const given = yield* checked(Schema.Struct({ from: Timestamp, until: Timestamp }), { from, until })
      const asked = { from: toMillis(given.from), until: toMillis(given.until), reason, apply }
      yield* askDatabase(
        flags,
        onDatabase(open, apply ? "write" : "read", (time) => restore(asked, time))
      )
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Return points and wallet rewards that expired because a clock was ahead, with their earlier dates. Stop the services first. Safe to repeat: a second run posts nothing."
    ),
    Command.withExamples([
      {
        command:
          "lotbook journal restore-expired --from 2026-07-14T10:00:00Z --until 2026-07-14T12:00:00Z --reason 'Clock was a year ahead'",
        description: "Show what would be returned; --apply posts it"
      }
    ])
  )
