/** Compares the files of a move with the ledger, and tells what happened since (contract/moving.md *Reconcile*). */
import { Effect } from "effect"
import type { GuestMoved, HereFault, Since } from "../../contract/admin/MoveIn.ts"
import type { Pass, Send, Sent } from "./Batches.ts"
import { sendAll } from "./Batches.ts"
import type { Left } from "./Run.ts"

/** Kinds of differences: a guest who was not moved, one of whom something was not, or a lot with another amount. */
type Kind = "not_moved" | "not_whole" | "difference"

type SinceSums = Readonly<Record<Exclude<keyof Since, "unit">, bigint>>

export interface Reconciled {
  /** Guests who were moved and are there. */
  readonly guests: number
  readonly erased: number
  readonly kinds: ReadonlyMap<Kind, number>
  /** Sums over the members that guests are, each counted once. */
  readonly units: ReadonlyMap<string, SinceSums>
}

const kindOf = ({ outcome }: GuestMoved): Exclude<Kind, "difference"> | undefined => {
  if (outcome === "enrolled" || outcome === "joined" || outcome === "refused") return "not_moved"
  return outcome === "added" ? "not_whole" : undefined
}

class Sums {
  readonly kinds = new Map<Kind, number>()
  readonly units = new Map<string, SinceSums>()
  guests = 0
  erased = 0
  private readonly members = new Set<string>()

  add({ joined: { place } }: Sent, guest: GuestMoved, left: (one: Left) => void): void {
    const kind = kindOf(guest)
    if (guest.outcome === "erased") this.erased++
    else if (kind !== "not_moved") this.guests++
    if (kind !== undefined) {
      this.count(kind)
      left({ ...place, code: kind, unit: "", moved: "", listed: "" })
    }
    for (const { listed, moved, unit } of guest.differences) {
      this.count("difference")
      left({ ...place, code: "difference", unit, moved: String(moved), listed: String(listed) })
    }
    this.sum(guest)
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

/** Compares all guests of a plan. `left`: gets each difference. */
export const reconcile = <E, R>(
  pass: Pass,
  send: Send<E, R>,
  waive: ReadonlyArray<HereFault>,
  left: (one: Left) => void
) =>
  Effect.gen(function* () {
    const sums = new Sums()
    yield* sendAll(pass, send, { dry_run: true, since: true, waive }, (batch, told) =>
      Effect.sync(() => {
        for (const [place, sent] of batch.entries()) sums.add(sent, told[place]!, left)
      })
    )
    const { erased, guests, kinds, units } = sums
    return { erased, guests, kinds, units } satisfies Reconciled
  })
