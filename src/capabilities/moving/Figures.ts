/** The figures of a plan: guests and what they bring, by unit and by month of expiry. */
import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import type { GuestMoved } from "../../contract/admin/MoveIn.ts"
import { fromMillis } from "../../contract/Values.ts"
import { localAt } from "../../core/rules/Calendar.ts"
import * as Expiration from "../../core/rules/Expiration.ts"
import type { Program } from "../../core/rules/Program.ts"
import { endsOf, lotExpires } from "./Checks.ts"

export interface UnitSums {
  readonly unit: string
  readonly amount: bigint
  readonly lots: number
  /** By month of the programme's zone, `never`, or `inactivity`: with the account. In order. */
  readonly months: ReadonlyArray<readonly [month: string, amount: bigint]>
}

/** Guests who were erased since, and the points that the files have of them. */
export interface Erased {
  readonly guests: number
  readonly units: ReadonlyMap<string, bigint>
}

export class Figures {
  guests = 0
  /** Guests who are members already. */
  members = 0
  rewards = 0
  consents = 0
  tiers = 0
  /** Guests by what would become of them. */
  readonly outcomes: Partial<Record<GuestMoved["outcome"], number>> = {}
  /** Lots that were moved with other amounts. */
  differences = 0
  private readonly erasedPoints = new Map<string, bigint>()
  private readonly lots = new Map<string, number>()
  private readonly sums = new Map<string, Map<string, bigint>>()
  private readonly program: Program
  private readonly now: number

  constructor(program: Program, now: number) {
    this.program = program
    this.now = now
  }

  add(guest: MovedGuest, { differences, outcome }: GuestMoved): void {
    this.guests++
    if (outcome !== "enrolled") this.members++
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    this.differences += differences.length
    this.rewards += guest.rewards.length
    this.consents += guest.consents.length
    if (guest.standing?.tier_id !== undefined) this.tiers++
    const ends = endsOf(guest, this.program, this.now)
    for (const lot of guest.lots) {
      if ((ends(lot) ?? Infinity) <= this.now) continue
      if (outcome === "erased")
        this.erasedPoints.set(lot.unit, (this.erasedPoints.get(lot.unit) ?? 0n) + BigInt(lot.amount))
      const month = this.monthOf(lotExpires(lot, this.program, this.now))
      const months = this.sums.get(lot.unit) ?? new Map<string, bigint>()
      this.sums.set(lot.unit, months.set(month, (months.get(month) ?? 0n) + BigInt(lot.amount)))
      this.lots.set(lot.unit, (this.lots.get(lot.unit) ?? 0) + 1)
    }
  }

  get erased(): Erased {
    return { guests: this.outcomes.erased ?? 0, units: this.erasedPoints }
  }

  /** The month of the last moment: what is valid through a day ends as the next one begins. */
  private monthOf(expires: number | undefined): string {
    if (expires === undefined) return "never"
    return expires === Expiration.withAccount
      ? "inactivity"
      : fromMillis(localAt(this.program.zone, expires - 1)).slice(0, 7)
  }

  units(): ReadonlyArray<UnitSums> {
    return [...this.sums].map(([unit, months]) => ({
      unit,
      amount: months.values().reduce((sum, amount) => sum + amount, 0n),
      lots: this.lots.get(unit) ?? 0,
      months: [...months].toSorted(([one], [other]) => (one < other ? -1 : 1))
    }))
  }
}
