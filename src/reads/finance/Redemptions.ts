/** The change that records make in the list of redemptions (contract/engagement.md *Redemptions by restaurant*). Pure. */
import type { HoldEnded, Reserved } from "../../core/account/domain/AccountEvent.ts"
import * as ReservationId from "../../core/account/ReservationId.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import type { Counted, Facts } from "./Sums.ts"

/** The record that made a reservation. */
interface Key {
  readonly account: number
  readonly seq: number
}

interface Ends {
  readonly captured_at?: number
  readonly reversed_at?: number
}

interface Change extends Ends {
  /** Undefined: an earlier batch has made it. */
  readonly made: object | undefined
  /** It was released or has expired. */
  readonly isGone: boolean
}

const endsOf = ({ at, type }: HoldEnded): Ends => {
  if (type === "captured") return { captured_at: at }
  return type === "refunded" ? { reversed_at: at } : {}
}

export class Redemptions {
  private readonly changes = new Map<string, Change>()

  record({ events }: Counted, facts: Facts): void {
    for (const event of events) {
      if (event.type === "reserved") this.reserved(event, facts)
      else if (
        event.type === "captured" ||
        event.type === "refunded" ||
        event.type === "released" ||
        event.type === "hold_expired"
      )
        this.ended(event)
    }
  }

  private reserved(event: Reserved, { program, zone }: Facts): void {
    const { at, cost, issued, location, order, reservation, reward, unit } = event
    const made = {
      ...{ program_id: program, location_id: location, day: Calendar.dateOf(zone, at), at, order_id: order },
      ...{ reward_id: reward, issued_reward_id: issued, unit, points: cost }
    }
    this.changes.set(reservation, { made, isGone: false })
  }

  private ended(event: HoldEnded): void {
    const { reservation, type } = event
    const known = this.changes.get(reservation) ?? { made: undefined, isGone: false }
    const isGone = known.isGone || type === "released" || type === "hold_expired"
    this.changes.set(reservation, { ...known, ...endsOf(event), isGone })
  }

  /** The change in the form that `count_finance` takes. */
  toJson() {
    const all = [...this.changes].map(([reservation, change]) => ({ ...change, key: keyOf(reservation) }))
    const left = all.filter(({ isGone }) => !isGone)
    return {
      made: left.flatMap(({ isGone: _, key, made, ...ends }) =>
        made === undefined ? [] : [{ ...key, ...made, ...ends }]
      ),
      ended: left.flatMap(({ isGone: _, key, made, ...ends }) => (made === undefined ? [{ ...key, ...ends }] : [])),
      gone: all.flatMap(({ isGone, key, made }) => (made === undefined && isGone ? [key] : []))
    }
  }
}

const keyOf = (reservation: string): Key => {
  const place = ReservationId.placeOf(reservation)
  if (place === undefined) throw new Error(`${reservation} names no record`)
  return place
}
