/**
 * Sums what members earned and spent here before their points were moved in: where both systems took the orders of some weeks,
 * these points may be there twice (contract/moving.md *Parallel weeks*).
 */
import type { GuestMoved } from "../../contract/admin/MoveIn.ts"

export interface BeforeSums {
  readonly earned: bigint
  /** Below zero. */
  readonly spent: bigint
}

export class OrdersBefore {
  private readonly members = new Set<string>()
  /** Sums by unit over the members, each counted once. */
  readonly units = new Map<string, BeforeSums>()

  get guests(): number {
    return this.members.size
  }

  /** Adds a guest. Returns false if it has no such orders, or its member is counted already. */
  add({ before = [], member_id }: GuestMoved): boolean {
    if (member_id === undefined || before.length === 0 || this.members.has(member_id)) return false
    this.members.add(member_id)
    for (const { earned, spent, unit } of before) {
      const sums = this.units.get(unit)
      this.units.set(unit, {
        earned: (sums?.earned ?? 0n) + BigInt(earned),
        spent: (sums?.spent ?? 0n) + BigInt(spent)
      })
    }
    return true
  }
}
