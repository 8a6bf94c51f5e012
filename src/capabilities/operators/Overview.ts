/** The operators' route for the figures of a programme. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { storageUnavailable } from "../../base/database/Pools.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Overview } from "../../contract/admin/Overview.ts"
import { fromMillis } from "../../contract/Values.ts"
import { softwareVersion } from "../../contract/Version.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { Node } from "../../core/cluster/Node.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dayAt } from "../../core/rules/Calendar.ts"
import { later } from "../../core/rules/Expiration.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Ladder from "../../reads/rollups/Ladder.ts"
import type { Figures, Kind } from "../../reads/rollups/RollupReads.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"

const expiringMs = 30 * 86_400_000

/** The present day in the programme's time zone. */
const today = (program: Program, now: number) => dayAt(program.zone, now)

const countOf = (kinds: ReadonlyArray<Kind>, isWanted: (kind: Kind) => boolean): number =>
  kinds.reduce((sum, kind) => (isWanted(kind) ? sum + kind.members : sum), 0)

const membersOf = (program: Program, kinds: ReadonlyArray<Kind>, now: number): Overview["members"] => {
  const ofStatus = (status: Kind["status"]) => countOf(kinds, (kind) => kind.status === status)
  return {
    total: countOf(kinds, () => true),
    active: ofStatus("active"),
    suspended: ofStatus("suspended"),
    closed: ofStatus("closed"),
    by_tier: program.tiers.map(({ tier_id }) => ({
      tier_id,
      members: countOf(kinds, ({ tier }) => Ladder.tierAt(program, now, tier) === tier_id)
    }))
  }
}

const pointsOf = (program: Program, points: Figures["points"]): Overview["points"] =>
  program.accounts.map(({ unit }) => {
    const sums = points.find((one) => one.unit === unit)
    return {
      unit,
      outstanding: sums?.posted ?? 0,
      reserved: sums?.reserved ?? 0,
      expiring_30_days: sums?.expiring ?? 0
    }
  })

const shown = (
  program: Program,
  { activity, asOf, kinds, points, sales }: Figures,
  now: number,
  service: Overview["service"]
): Overview => ({
  program_id: program.id,
  as_of: fromMillis(Math.min(asOf ?? now, now)),
  members: membersOf(program, kinds, now),
  points: pointsOf(program, points),
  today: {
    orders: sales.orders,
    eligible_spend: { amount: sales.eligibleSpend, currency: program.currency },
    issued: activity.issued,
    redeemed: activity.redeemed,
    expired: activity.expired,
    adjusted: activity.adjusted
  },
  service
})

export const layer = HttpApiBuilder.group(AdminApi, "overview", (handlers) =>
  Effect.gen(function* () {
    const [accounts, node, freeze] = [yield* Accounts, yield* Node, yield* WriteFreeze]
    const { now: clock } = yield* serviceTime
    const [programs, reads] = [yield* Programs, yield* RollupReads]
    // The machine's time, also in a sandbox.
    const startedAt = fromMillis(yield* machineNow)
    const service = (): Overview["service"] => ({
      version: softwareVersion,
      environment: node.environment,
      role: node.role(),
      partitions: node.placement().partitions,
      nodes: node.placement().nodes,
      write_frozen: freeze.isFrozen(),
      resident_accounts: accounts.resident(),
      started_at: startedAt
    })
    return handlers.handle("overview", ({ query: { program_id } }) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        const [first] = Visible.programsOf(programs, caller)
        const id = program_id ?? first?.id
        if (id === undefined) return yield* refuse("not_found", "There is no programme that the caller may see.")
        const program = yield* Visible.named(programs, caller, id)
        const now = clock()
        const figures = yield* Effect.mapError(
          reads.figures({
            program: id,
            primaryUnit: program.primaryUnit,
            day: today(program, now),
            expiring: { from: now, until: later(now, expiringMs) }
          }),
          () => storageUnavailable
        )
        return shown(program, figures, now, service())
      })
    )
  })
)
