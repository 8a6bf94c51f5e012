/** Compares the files of a move with the ledger, and tells what happened since (contract/moving.md *Reconcile*). */
import { Effect } from "effect"
import type { MovedBefore } from "../../contract/admin/MovedGuests.ts"
import type { GuestMoved, HereFault, Since } from "../../contract/admin/MoveIn.ts"
import type { Absent, Pages } from "./Absent.ts"
import { absent } from "./Absent.ts"
import type { Pass, Send } from "./Batches.ts"
import { sendAll } from "./Batches.ts"
import type { Sent } from "./Checks.ts"
import type { Names } from "./Names.ts"
import { OrdersBefore } from "./OrdersBefore.ts"
import type { MoveFile } from "./Rows.ts"
import type { Left } from "./Run.ts"
import { differencesOf, leftAt } from "./Run.ts"

/** Guests whom orders here brought points before the move. */
export const ordersBefore = "orders_before"
/** Guests of earlier moves who are not in the files. */
export const movedBefore = "moved_before"
/** Kinds that can be waived. */
export const waivable: ReadonlyArray<string> = [ordersBefore, movedBefore]

/** Kinds of differences. `not_whole`: something of the guest was not moved. */
type Kind = "not_moved" | "not_whole" | "difference" | typeof ordersBefore | typeof movedBefore

type SinceSums = Readonly<Record<Exclude<keyof Since, "unit">, bigint>>

export interface Reconciled {
  /** Guests who were moved and are there. */
  readonly guests: number
  readonly erased: number
  readonly kinds: ReadonlyMap<Kind, number>
  /** Sums over the members that guests are, each counted once. */
  readonly units: ReadonlyMap<string, SinceSums>
  /** Orders here from before the move, waived or not. */
  readonly before: OrdersBefore
  /** Guests of earlier moves who are not in the files, waived or not. */
  readonly absent: Absent
}

const kindOf = ({ outcome }: GuestMoved): "not_moved" | "not_whole" | undefined => {
  if (outcome === "enrolled" || outcome === "joined" || outcome === "refused") return "not_moved"
  return outcome === "added" ? "not_whole" : undefined
}

class Sums {
  readonly kinds = new Map<Kind, number>()
  readonly units = new Map<string, SinceSums>()
  guests = 0
  erased = 0
  readonly before = new OrdersBefore()
  private readonly members = new Set<string>()
  private readonly left: (one: Left) => void
  private readonly files: ReadonlyArray<MoveFile>
  private readonly waived: ReadonlySet<string>

  constructor(left: (one: Left) => void, files: ReadonlyArray<MoveFile>, waived: ReadonlySet<string>) {
    this.left = left
    this.files = files
    this.waived = waived
  }

  add(sent: Sent, guest: GuestMoved): void {
    const kind = kindOf(guest)
    if (guest.outcome === "erased") this.erased++
    else if (kind !== "not_moved") this.guests++
    if (kind !== undefined) {
      this.count(kind)
      this.left(leftAt(sent.place, kind))
    }
    for (const difference of differencesOf(sent, guest, this.files)) {
      this.count("difference")
      this.left(difference)
    }
    if (this.before.add(guest)) this.tellBefore(sent, guest)
    this.sum(guest)
  }

  private tellBefore({ place }: Sent, { before = [] }: GuestMoved): void {
    if (!this.waived.has(ordersBefore)) this.count(ordersBefore)
    for (const { earned, spent, unit } of before)
      this.left({ ...leftAt(place, ordersBefore), unit, earned: String(earned), spent: String(spent) })
  }

  /** Tells a guest of an earlier move who is not in the files. */
  readonly tellAbsent = ({ member_id, points }: MovedBefore): void => {
    if (!this.waived.has(movedBefore)) this.count(movedBefore)
    for (const { amount, unit } of points)
      this.left({ ...leftAt({ file: "", row: 0 }, movedBefore), unit, moved: String(amount), member: member_id })
  }

  private count(kind: Kind): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
  }

  private sum({ member_id, since = [] }: GuestMoved): void {
    if (member_id === undefined || this.members.has(member_id)) return
    this.members.add(member_id)
    for (const { unit, ...amounts } of since) {
      const before = this.units.get(unit)
      const add = (name: keyof typeof amounts) => (before?.[name] ?? 0n) + BigInt(amounts[name])
      this.units.set(unit, {
        ...{ moved: add("moved"), accrued: add("accrued"), redeemed: add("redeemed") },
        ...{ expired: add("expired"), other: add("other"), balance: add("balance") }
      })
    }
  }
}

export interface ReconcileContext<E, R> {
  readonly send: Send<E, R>
  readonly waive: ReadonlyArray<HereFault>
  /** Guests of earlier moves, and those of them whom the plan saw in the files. */
  readonly moved: Pages<E, R>
  readonly seen: Names
  /** Names of kinds that are no difference. */
  readonly waived: ReadonlySet<string>
  /** Gets each difference. */
  readonly left: (one: Left) => void
  /** Called after each batch with the number of guests so far. */
  readonly progress: (guests: number) => Effect.Effect<void>
}

/** Compares all guests of a plan. */
export const reconcile = <E, R>(pass: Pass, context: ReconcileContext<E, R>) =>
  Effect.gen(function* () {
    const { left, moved, progress, seen, send, waive, waived } = context
    const sums = new Sums(left, pass.divided.files, waived)
    let compared = 0
    yield* sendAll(pass, send, { dry_run: true, since: true, waive }, (batch, told) =>
      Effect.suspend(() => {
        for (const [place, sent] of batch.entries()) sums.add(sent, told[place]!)
        compared += batch.length
        return progress(compared)
      })
    )
    const missing = yield* absent(moved, seen, sums.tellAbsent)
    const { before, erased, guests, kinds, units } = sums
    return { absent: missing, before, erased, guests, kinds, units } satisfies Reconciled
  })
