/**
 * Takes an import back (contract/engagement.md *Taking an import back*): opening balances by counter-entries, once for each
 * guest, then guests who came with it alone. Each step finds what was done before, so a repetition goes on, on any node.
 */
import { type Context, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { ImportTakeBack, ImportTakenBack, TakenGuest } from "../../contract/platform/ImportTakenBack.ts"
import type { Refused } from "../../contract/Refused.ts"
import { mayGive } from "../../contract/Scopes.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import type { Action } from "../../core/account/domain/Action.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { rewardsOf } from "../../desk/surface/Ending.ts"
import * as Given from "../../desk/surface/Given.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Gifts from "../members/Gifts.ts"
import * as Profiles from "../members/Profiles.ts"
import * as Bounds from "./Bounds.ts"
import type { StoredImport } from "./ImportStore.ts"
import * as Store from "./ImportStore.ts"
import { visible } from "./Imports.ts"
import type { ImportedGuest } from "./TakenGuests.ts"
import * as TakenGuests from "./TakenGuests.ts"
import { Turns } from "./Turns.ts"

const needed = Effect.all({
  accounts: Accounts,
  given: Given.make,
  journal: Journal,
  pool: WorkPool,
  profiles: Effect.flatMap(WorkPool, ({ query }) => Profiles.make(query)),
  programs: Programs,
  turns: Effect.sync(() => new Turns()),
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

/** A request, with the import's programme and guests. */
interface Asked {
  readonly program: Program
  readonly reason: string
  readonly stored: StoredImport
  readonly guests: ReadonlyArray<ImportedGuest>
}

const lookAt = ({ accounts, journal, time }: Parts, { program }: Asked, guest: ImportedGuest) =>
  TakenGuests.look({ accounts, journal, program, now: time.now() }, guest)

const lookAtAll = (parts: Parts, asked: Asked) =>
  Effect.forEach(asked.guests, (guest) => lookAt(parts, asked, guest), { concurrency: Bounds.importRows })

type Looked = Effect.Success<ReturnType<typeof lookAt>>

/** A guest as told: what was taken, with what is to be taken. */
const told = ({ credited, kept, left, resident, taken }: Looked): TakenGuest => ({
  member_id: resident.state.member,
  ...(kept === undefined ? { outcome: "erased" } : { outcome: "kept", reason: kept }),
  credited,
  taken: taken + left
})

const sumOf = (guests: ReadonlyArray<TakenGuest>, name: "credited" | "taken"): number =>
  guests.reduce((sum, guest) => sum + guest[name], 0)

const answerOf = (stored: StoredImport, looked: ReadonlyArray<Looked>): ImportTakenBack => {
  const guests = looked.map(told)
  const erased = guests.filter(({ outcome }) => outcome === "erased").length
  return {
    import: stored.import,
    erased,
    kept: guests.length - erased,
    credited: sumOf(guests, "credited"),
    taken: sumOf(guests, "taken"),
    guests
  }
}

/** The work that takes back those points of a guest that are there. The account refuses if it was changed since it was looked at. */
const takingPoints = Effect.fnUntraced(function* (
  { accounts, journal }: Parts,
  { program, reason }: Asked,
  { account }: ImportedGuest,
  { left, resident, unit }: Looked
) {
  const caller = yield* CurrentCaller
  const adjustment = TakenGuests.takenId(account)
  const action: Action = {
    ...{ type: "adjust_manually", adjustment, amount: -left, unit, classification: "migration" },
    ...{ reason: "Import taken back", qualifies: false, expires: undefined }
  }
  const audit = yield* Audit.entryOf({
    action: "member.adjust",
    subject: { type: "member", id: resident.state.member },
    programId: program.id,
    changes: { after: { adjustment_id: adjustment, amount: -left, classification: "migration", unit } },
    reason
  })
  const executed = accounts.executeOn(resident.account, () => ({
    action,
    guards: { business: TakenGuests.takenClaim(journal.claimKey, program.id, account) },
    counted: { account: resident.account, seq: resident.state.seq + 1, always: true },
    actor: caller.name,
    origin: caller.requestId,
    audit
  }))
  return Effect.map(executed, (outcome) => {
    if (outcome === undefined) throw new Error("an account that was read is there")
    return outcome
  })
})

/** Takes back what a guest has of the import, again while somebody else changes the guest. */
const takeGuest = Effect.fnUntraced(function* (parts: Parts, asked: Asked, guest: ImportedGuest) {
  const { profiles } = parts
  const { program, reason } = asked
  const looked = yield* lookAt(parts, asked, guest)
  if (looked.left > 0)
    yield* Gifts.whileOutdated((outcomeOf) =>
      Effect.gen(function* () {
        const now = yield* lookAt(parts, asked, guest)
        if (now.left > 0) yield* outcomeOf(yield* takingPoints(parts, asked, guest, now))
      })
    )
  if (looked.kept !== undefined || looked.isErased) return
  yield* Gifts.whileOutdated((outcomeOf) =>
    Effect.gen(function* () {
      const { isErased, kept, resident } = yield* lookAt(parts, asked, guest)
      if (kept !== undefined || isErased) return
      const { account, state } = resident
      const place = { account, seq: state.seq + 1, always: true }
      yield* outcomeOf(yield* profiles.erasing(program, { member_id: state.member, reason }, place))
    })
  )
})

const batchesOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / Bounds.importBatch) }, (_, n) =>
    all.slice(n * Bounds.importBatch, (n + 1) * Bounds.importBatch)
  )

/** Takes back from all guests, and notes it. Nobody else, on any node, does a part of it meanwhile. */
const takeAll = Effect.fnUntraced(function* (parts: Parts, asked: Asked) {
  const { query, transaction } = parts.pool
  const { import: shown, n } = asked.stored
  const caller = yield* CurrentCaller
  const outside = yield* Effect.context<CurrentCaller>()
  for (const batch of batchesOf(asked.guests)) {
    const taking = Effect.forEach(batch, (guest) => takeGuest(parts, asked, guest), {
      concurrency: Bounds.importRows,
      discard: true
    })
    // Members change outside of the transaction, which keeps others away.
    const work = Effect.updateContext(taking, (_: Context.Context<never>) => outside)
    yield* transaction(Effect.andThen(Store.hold(query, shown.import_id), work))
  }
  const looked = yield* lookAtAll(parts, asked)
  const { guests: _, import: __, ...sums } = answerOf(asked.stored, looked)
  return yield* transaction(
    Effect.gen(function* () {
      yield* Store.hold(query, shown.import_id)
      const ended = yield* Store.takenBack(query, n, { at: parts.time.now(), by: caller.name })
      if (ended === undefined) return yield* Store.find(query, shown.import_id)
      yield* Audit.tell(query, {
        action: "import.take_back",
        subject: { type: "import", id: shown.import_id },
        programId: shown.program_id,
        changes: { after: sums },
        reason: asked.reason
      })
      return ended
    })
  )
})

/** The import with its guests, if it can be taken back. */
const askedFor = Effect.fnUntraced(function* (parts: Parts, { import_id, reason }: ImportTakeBack) {
  const stored = yield* visible(parts, import_id)
  const { completed_at, program_id, rows_deleted, submitted } = stored.import
  if (rows_deleted === true)
    return yield* refuse("invalid_state", "What the import did is deleted by now, so it cannot be taken back.")
  if (completed_at === undefined)
    return yield* refuse(
      "invalid_state",
      "The import has not ended. Send its rows again, so that it does, and take it back then."
    )
  const rows = yield* Store.rowsKept(parts.pool.query, stored.n)
  const isKnown = rows.every(({ account, outcome }) => account !== undefined || outcome === "failed")
  if (rows.length !== submitted || !isKnown)
    return yield* refuse(
      "invalid_state",
      "An earlier version made the import, and did not note what it did, so it cannot be taken back."
    )
  const program = yield* Visible.known(parts.programs, program_id)
  return { program, reason, stored, guests: yield* TakenGuests.guestsOf(parts, import_id, rows) } satisfies Asked
})

const takeBack = Effect.fnUntraced(function* (
  parts: Parts,
  sent: ImportTakeBack
): Effect.fn.Return<ImportTakenBack, Refused, CurrentCaller> {
  const asked = yield* askedFor(parts, sent)
  const looked = yield* lookAtAll(parts, asked)
  const { program, stored } = asked
  if (stored.import.taken_back_at !== undefined) return answerOf(stored, looked)
  const ending = looked.filter(({ isErased, kept }) => kept === undefined && !isErased)
  const gift = {
    program,
    id: ["import take back", stored.import.import_id],
    ...nothing,
    points: looked.reduce((sum, { left }) => sum + left, 0),
    rewards: ending.reduce((sum, { resident }) => sum + rewardsOf(resident.state), 0),
    goesOn: true
  }
  if (gift.points + gift.rewards > 0 && !mayGive((yield* CurrentCaller).scopes, "platform"))
    return yield* refuse("forbidden", "Taking points or rewards back needs the scope points:give.")
  if (sent.dry_run === true) {
    yield* parts.given.foreseen(gift)
    return answerOf(stored, looked)
  }
  const ended = yield* parts.given.within(gift, () => ({ isNew: true }), takeAll(parts, asked))
  return answerOf(ended ?? stored, yield* lookAtAll(parts, asked))
})

export const make = Effect.map(needed, (parts) => ({
  takeBack: (sent: ImportTakeBack) => parts.turns.run(takeBack(parts, sent))
}))

export const layer = HttpApiBuilder.group(PlatformApi, "platform_imports_taken_back", (handlers) =>
  Effect.map(make, ({ takeBack }) => handlers.handle("takeBackImport", ({ payload }) => takeBack(payload)))
)
