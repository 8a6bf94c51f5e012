/** Merges two members, for the operators' route and for `lotbook members merge` (contract/members.md *Merging*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Merge, Merged } from "../../contract/admin/Merge.ts"
import type { ResponseOf } from "../../contract/protocol/Operations.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as Codes from "../../core/account/Codes.ts"
import type { MergeForeseen } from "../../core/account/Merging.ts"
import type { MergeSeen } from "../../core/account/Request.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Render from "../../core/protocol/Render.ts"
import * as Writes from "../../core/protocol/Writes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { pointsOf, rewardsOf } from "../../desk/surface/Ending.ts"
import * as Given from "../../desk/surface/Given.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Reached from "../segments/Reached.ts"
import { plus } from "../segments/Reached.ts"
import type { Answered } from "./Gifts.ts"
import * as Gifts from "./Gifts.ts"
import { previewOf } from "./MergePreview.ts"

/** The audit entry of a merge for one of its two members. */
const entryOf = (programId: string, member: string, relation: string, other: string, reason: string) =>
  Audit.entryOf({
    action: "member.merge",
    subject: { type: "member", id: member },
    programId,
    changes: { before: { [relation]: null }, after: { [relation]: other } },
    reason
  })

/** No members have these records: only a replay is answered. */
const seenNowhere: MergeSeen = { from: 0, into: 0 }

/** Amounts that a merge counts as: points and rewards that it takes from one member, and the rewards of cards that fill. */
const amountsOf = ({ filled, from }: MergeForeseen): Amounts => ({
  ...nothing,
  points: pointsOf(from.state),
  rewards: filled + rewardsOf(from.state)
})

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const given = yield* Given.make
  const { claimKey } = yield* Journal
  const { query } = yield* PeoplePool
  const programs = yield* Programs
  const reached = yield* Reached.make
  const { rendered } = yield* Writes.make

  /**
   * With what campaigns give: because of attributes and points that the member gets from the other one, and of its
   * tier.
   */
  const countedOf = Effect.fnUntraced(function* (program: Program, foreseen: MergeForeseen) {
    const { at, events, into, merged, seen } = foreseen
    const amounts = amountsOf(foreseen)
    const due = yield* Gifts.dueWith(accounts, program.id, into.state.member, seen.into + 1)
    // The merge is refused then, and looked at again.
    if (due === undefined) return { amounts, counted: seenNowhere }
    const guest = { ...Reached.ofAccount(merged, into.state, at), before: into.member.attributes ?? {} }
    const caused = yield* reached.by(program, { guest, due: due.events, events })
    return { amounts: plus(amounts, caused.amounts), counted: seen }
  })

  /** Merges, and returns the remaining member afterwards. With `dry_run` only computes it. */
  const merge = Effect.fnUntraced(function* (
    program_id: string,
    { dry_run = false, from, into, reason }: typeof Merge.Type
  ): Effect.fn.Return<typeof Merged.Type, Refused, CurrentCaller> {
    const program = yield* Visible.known(programs, program_id)
    if (from === into) {
      return yield* refuseFaults([{ path: "/into", message: "must be another member than `from`" }])
    }
    const { idempotencyKey, keyId, kind } = yield* CurrentCaller
    // A retry is known as one by its key.
    const id = ["merge", from, into, idempotencyKey ?? Codes.random()]
    const foresee = accounts.foreseeMerge(program_id, from, into)
    if (dry_run) {
      const foreseen = yield* foresee
      if (foreseen._tag !== "Foreseen") return yield* refusedBy(foreseen)
      yield* given.foreseen({ program, id, ...(yield* countedOf(program, foreseen)).amounts })
      return yield* previewOf(query, program, foreseen)
    }
    yield* mustGive("admin", "A merge")
    const audit = {
      from: yield* entryOf(program_id, from, "merged_into", into, reason),
      into: yield* entryOf(program_id, into, "merged_from", from, reason)
    }
    // The merge's own record claims the key, so a retry after a crash finds the result.
    const key =
      idempotencyKey === undefined
        ? undefined
        : {
            key: claimKey("merge key", keyId, program_id, idempotencyKey),
            fingerprint: claimKey("merge", from, into, reason)
          }
    const asked = { from, into, key, actor: audit.from.actor.name, origin: audit.from.requestId, audit }
    const settled = ({ isReplay = false }: Answered) => ({ isNew: !isReplay })
    const merged = Gifts.whileOutdated((outcomeOf) =>
      Effect.gen(function* () {
        const foreseen = kind === "user" ? yield* foresee : undefined
        if (foreseen === undefined) return yield* outcomeOf(accounts.merge(program_id, asked))
        if (foreseen._tag === "Foreseen") {
          const { amounts, counted } = yield* countedOf(program, foreseen)
          const executed = accounts.merge(program_id, { ...asked, counted })
          return yield* given.within({ program, id, ...amounts }, settled, outcomeOf(executed))
        }
        // A merge that cannot be foreseen may be a retry of one that was done.
        if (!(yield* given.isCounted({ program, id, ...nothing }))) return yield* refusedBy(foreseen)
        return yield* outcomeOf(accounts.merge(program_id, { ...asked, counted: seenNowhere }))
      })
    )
    const handled = yield* rendered(Render.memberBody, yield* merged)
    if (handled._tag !== "Answer") return yield* refusedBy(handled)
    const { member } = Render.present<Pick<ResponseOf<"member.enroll">, "member">>(handled.body)
    return { member }
  })

  return { merge }
})

export const layer = HttpApiBuilder.group(AdminApi, "merge", (handlers) =>
  Effect.map(make, ({ merge }) =>
    handlers.handle("mergeMembers", ({ params, payload }) => merge(params.program_id, payload))
  )
)
