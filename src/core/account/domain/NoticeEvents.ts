/** The events of what an account tells although no balance changes (`Notices`). */
import type { Unit } from "../../../contract/Values.ts"

/** The member has another tier than the account last told. */
export interface TierChanged {
  readonly type: "tier_changed"
  readonly at: number
  /** Absent: the account had told none before. It only remembers this one, and announces nothing. */
  readonly from?: string
  readonly to: string
  /** The metric that decided the tier, as it was then. */
  readonly amount: number
  /** The places of both tiers among the programme's then, from the lowest. Absent in older records, and if it had lost `from`. */
  readonly places?: readonly [from: number, to: number]
}

/** Points expire soon: the warning of a number of days before their date. */
export interface PointsExpiring {
  readonly type: "points_expiring"
  readonly at: number
  readonly unit: Unit
  /** The points that expire on that date. */
  readonly amount: number
  /** When the first of them expire. */
  readonly first: number
  readonly days: number
}
