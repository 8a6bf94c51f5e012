/** Compares the files of a move with the ledger, and tells what happened since (contract/moving.md *Reconcile*). */
import { Effect } from "effect"
import type { GuestMoved, HereFault, Since } from "../../contract/admin/MoveIn.ts"
import type { Pass, Send } from "./Batches.ts"
import { sendAll } from "./Batches.ts"
import type { Sent } from "./Checks.ts"
import { OrdersBefore } from "./OrdersBefore.ts"
import type { MoveFile } from "./Rows.ts"
import type { Left } from "./Run.ts"
import { differencesOf, leftAt } from "./Run.ts"

/** Guests whom orders here brought points before the move; the only kind that can be waived. */
export const ordersBefore = "orders_before"

/** Kinds of differences: a guest who was not moved, one of whom something was not, a lot with another amount, or orders before. */
type Kind = "not_moved" | "not_whole" | "difference" | typeof ordersBefore

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
  private readonly waivesBefore: boolean

  constructor(left: (one: Left) => void, files: ReadonlyArray<MoveFile>, waivesBefore: boolean) {
    this.left = left
    this.files = files
    this.waivesBefore = waivesBefore
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
    if (!this.waivesBefore) this.count(ordersBefore)
    for (const { earned, spent, unit } of before)
      this.left({ ...leftAt(place, ordersBefore), unit, earned: String(earned), spent: String(spent) })
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
  /** True: orders from before the move are no difference. */
  readonly waivesBefore: boolean
  /** Gets each difference. */
  readonly left: (one: Left) => void
  /** Called after each batch with the number of guests so far. */
  readonly progress: (guests: number) => Effect.Effect<void>
}

/** Compares all guests of a plan. */
export const reconcile = <E, R>(pass: Pass, context: ReconcileContext<E, R>) =>
  Effect.gen(function* () {
    const { left, progress, send, waive, waivesBefore } = context
    const sums = new Sums(left, pass.divided.files, waivesBefore)
    let compared = 0
    yield* sendAll(pass, send, { dry_run: true, since: true, waive }, (batch, told) =>
      Effect.suspend(() => {
        for (const [place, sent] of batch.entries()) sums.add(sent, told[place]!)
        compared += batch.length
        return progress(compared)
      })
    )
    const { before, erased, guests, kinds, units } = sums
    return { before, erased, guests, kinds, units } satisfies Reconciled
  })
