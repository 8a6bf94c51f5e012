/** Takes back the unused rewards of one cause (contract/operators.md *Taking rewards back*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { TakeBack, TakenBack } from "../../contract/admin/TakeBack.ts"
import { maxTakenBack } from "../../contract/admin/TakeBack.ts"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"
import type { Refused } from "../../contract/Refused.ts"
import { toMillis } from "../../contract/Values.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as OneMember from "../members/OneMember.ts"
import * as Bounds from "./Bounds.ts"
import { find } from "./UnusedRewards.ts"

const needed = Effect.gen(function* () {
  const services = Effect.all({
    given: Given.make,
    journal: Journal,
    members: OneMember.make,
    people: PeoplePool,
    programs: Programs,
    time: serviceTime,
    work: WorkPool
  })
  return { ...(yield* services), files: yield* ArchiveFiles }
})
type Parts = Effect.Success<typeof needed>

/** Refusals of one reward, after which the others can still be cancelled. */
const ofOne: ReadonlySet<ProblemCode> = new Set(["invalid_state", "member_not_active", "not_found"])

const takeBack = Effect.fnUntraced(function* (
  { files, given, journal, members, people, programs, time, work }: Parts,
  program_id: string,
  { cause, dry_run = false, from, reason, until }: typeof TakeBack.Type
): Effect.fn.Return<TakenBack, Refused, CurrentCaller> {
  const program = yield* Visible.known(programs, program_id)
  if (Object.keys(cause).length !== 1)
    return yield* refuseFaults([
      { path: "/cause", message: "must have exactly one of stamp_card, challenge_id and run_id" }
    ])
  const range = {
    from: from === undefined ? 0 : toMillis(from),
    until: until === undefined ? Number.MAX_SAFE_INTEGER : toMillis(until)
  }
  const all = yield* find({ files, pool: work }, journal.claimKey, program_id, cause, range, time.now())
  const found = all.length
  // Refused as a whole: nobody wants half of it by chance. Each cancellation is then counted as a single one is.
  const rewards = Math.min(found, maxTakenBack)
  yield* given.foreseen({ program, id: ["take back"], ...nothing, rewards })
  if (dry_run) return { dry_run, found, cancelled: 0, left: 0 }
  let [cancelled, left] = [0, 0]
  const cancel = Effect.gen(function* () {
    for (const { issued, member } of all) {
      if (cancelled === maxTakenBack || cancelled + left === Bounds.mostTried) return
      const isCancelled = yield* members
        .takeBack({ program_id, member_id: member }, issued, reason)
        .pipe(Effect.catch((refused) => (ofOne.has(refused.code) ? Effect.succeed(false) : Effect.fail(refused))))
      if (isCancelled) cancelled++
      else left++
    }
  })
  const tell = Effect.suspend(() => {
    if (cancelled === 0) return Effect.void
    return Audit.tell(people.query, {
      action: "reward.take_back",
      subject: { type: "program", id: program_id },
      programId: program_id,
      changes: Audit.changesOf(undefined, { cause, from, until, cancelled, left }),
      reason
    })
  })
  // Its caller is told of what was cancelled, and gets the refusal in the next answer.
  const stopped = yield* Effect.result(Effect.onInterrupt(cancel, () => Effect.ignore(tell)))
  yield* tell
  if (stopped._tag === "Failure" && cancelled === 0) return yield* Effect.fail(stopped.failure)
  return { found, cancelled, left }
})

export const layer = HttpApiBuilder.group(AdminApi, "takeBack", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers.handle("takeBackRewards", ({ params, payload }) => takeBack(parts, params.program_id, payload))
  )
)
