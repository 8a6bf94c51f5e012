/**
 * Checks a guest of the files against the programme, and leaves out what a run leaves out where the fault was waived
 * (contract/moving.md *Faults*). Pure.
 */
import type { MovedGuest, MovedLot } from "../../contract/admin/MovedGuest.ts"
import type { Unit } from "../../contract/Values.ts"
import { toMillis } from "../../contract/Values.ts"
import * as Expiration from "../../core/rules/Expiration.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Fault, FaultName, Report } from "./Faults.ts"
import type { Joined } from "./Joined.ts"
import type { Leave } from "./LeftOut.ts"
import { pointsOf } from "./LeftOut.ts"
import type { MoveFile } from "./Rows.ts"

export interface CheckContext {
  readonly program: Program
  /** ms */
  readonly now: number
  readonly files: ReadonlyArray<MoveFile>
  readonly report: Report
  readonly leave: Leave
}

/** A guest as it is sent. */
export interface Sent {
  readonly guest: MovedGuest
  /** The place of its row. */
  readonly place: Joined["place"]
  /** The place of each of its lots. */
  readonly lots: Joined["lots"]
}

const instant = (text: string | null | undefined): number | undefined => (text == null ? undefined : toMillis(text))

/** When a guest last earned, by its lots if nothing else tells; undefined: nothing does. */
export const lastEarnedOf = ({ lots, standing }: MovedGuest, now: number): number | undefined =>
  instant(standing?.last_earned_at) ??
  (lots.length === 0 ? undefined : Math.max(...lots.map(({ earned_at }) => instant(earned_at) ?? now)))

/** When a lot expires: an instant, `withAccount`, or undefined for never. */
export const lotExpires = (
  { earned_at, expires_at, unit }: MovedLot,
  program: Program,
  now: number
): number | undefined => {
  if (expires_at === null) return undefined
  return instant(expires_at) ?? Expiration.expiresAt(program, unit, Math.min(now, instant(earned_at) ?? now))
}

/** Tells when lots of a guest end, by their own date or that of the account; undefined for never. */
export const endsOf = (guest: MovedGuest, program: Program, now: number): ((lot: MovedLot) => number | undefined) => {
  const idle = Expiration.inactiveAt(program, Math.min(now, lastEarnedOf(guest, now) ?? now))
  return (lot) => {
    const expires = lotExpires(lot, program, now)
    return expires === Expiration.withAccount ? idle : expires
  }
}

type Told = (
  name: FaultName,
  detail: string,
  at?: { readonly file: number; readonly row: number },
  field?: string
) => void

const lotFault = (
  lot: MovedLot,
  ends: number | undefined,
  { now, program }: CheckContext
): readonly [FaultName, string, string] | undefined => {
  if (!program.accounts.some(({ unit }) => unit === lot.unit))
    return ["unknown_unit", `The programme has no account of ${lot.unit}.`, "unit"]
  return ends !== undefined && ends <= now ? ["expired", "The points have expired.", "expires_at"] : undefined
}

const sumOf = (lots: ReadonlyArray<MovedLot>, unit: Unit): number =>
  lots.reduce((sum, lot) => sum + (lot.unit === unit ? lot.amount : 0), 0)

const tellSums = ({ balances, guest }: Joined, { leave, program }: CheckContext, tell: Told): void => {
  const points: Record<string, number> = {}
  for (const { unit } of program.accounts) {
    const [balance, lots] = [balances[unit], sumOf(guest.lots, unit)]
    if (balance === undefined || balance === lots) continue
    points[unit] = balance - lots
    tell("lots_differ", `The balance is ${balance} ${unit}, the lots are ${lots}.`, undefined, "balance")
  }
  if (Object.keys(points).length > 0) leave("lots_differ", { guests: 1, points })
}

const tellCard = ({ guest }: Joined, { program: { stampCard } }: CheckContext, tell: Told): void => {
  if (stampCard === undefined) return
  const stamps = sumOf(guest.lots, stampCard.unit)
  if (stamps >= stampCard.threshold)
    tell("fills_card", `${stamps} ${stampCard.unit} fill a card of ${stampCard.threshold}.`, undefined, "balance")
}

/** Tells a date that lies ahead. It stays: a lot's dates are its key; the account takes the present instead. */
const tellAhead = (text: string | undefined, now: number, told: (name: FaultName, detail: string) => void): void => {
  if (text !== undefined && toMillis(text) > now) told("not_yet", "It lies ahead.")
}

/** The standing that the programme knows. */
const standingOf = ({ standing }: MovedGuest, { now, program }: CheckContext, tell: Told): MovedGuest["standing"] => {
  if (standing === undefined) return undefined
  tellAhead(standing.last_earned_at, now, (name, detail) => tell(name, detail, undefined, "last_earned_at"))
  const { tier_id, tier_until, ...rest } = standing
  if (tier_id === undefined) return rest
  if (!program.tiers.some((tier) => tier.tier_id === tier_id)) {
    tell("unknown_tier", "The programme has no such tier.", undefined, "tier_id")
    return rest
  }
  return tier_until === undefined || toMillis(tier_until) > now ? standing : rest
}

/** The columns of a field in a file; the field's own name if it has none. */
const columnOf = (file: MoveFile | undefined, field: string): string =>
  [...(file?.form.targets ?? [])].find(([, target]) => target.field === field)?.[0] ?? field

/** The guest as it is moved. */
export const checked = (joined: Joined, context: CheckContext): Sent => {
  const { files, leave, now, program, report } = context
  const { guest, place } = joined
  const tell: Told = (name, detail, at, field = "") => {
    const file = at === undefined ? files.find((one) => one.name === place.file) : files[at.file]
    const fault: Fault = { ...place, name, detail, column: columnOf(file, field) }
    report(at === undefined || file === undefined ? fault : { ...fault, file: file.name, row: at.row })
  }
  tellSums(joined, context, tell)
  tellCard(joined, context, tell)
  const ends = endsOf(guest, program, now)
  const rowsAt = (at: Joined["lots"][number] | undefined): number =>
    at === undefined || (files[at.file]?.name === place.file && at.row === place.row) ? 0 : 1
  const lots = guest.lots.flatMap((lot, index) => {
    const at = joined.lots[index]!
    const fault = lotFault(lot, ends(lot), context)
    if (fault === undefined) tellAhead(lot.earned_at, now, (name, detail) => tell(name, detail, at, "earned_at"))
    else {
      tell(fault[0], fault[1], at, fault[2])
      leave(fault[0], { rows: rowsAt(at), points: pointsOf([lot], lot.unit) })
    }
    // Of lots that have expired the run decides: it may have moved them before.
    return fault?.[0] === "unknown_unit" ? [] : { lot, at }
  })
  const rewards = guest.rewards.flatMap((reward, index) => {
    const at = joined.rewards[index]
    const ends = instant(reward.expires_at)
    const fault = !program.rewards.has(reward.reward_id)
      ? "unknown_reward"
      : ends !== undefined && ends <= now
        ? "expired"
        : undefined
    if (fault === "unknown_reward") tell(fault, "The programme has no such reward.", at, "reward_id")
    else if (fault === "expired") tell(fault, "The reward has expired.", at, "expires_at")
    else tellAhead(reward.issued_at, now, (name, detail) => tell(name, detail, at, "issued_at"))
    if (fault !== undefined) leave(fault, { rows: rowsAt(at) })
    return fault === undefined ? reward : []
  })
  tellAhead(guest.joined_at, now, (name, detail) => tell(name, detail, undefined, "joined_at"))
  const { standing: _, ...rest } = guest
  const standing = standingOf(guest, context, tell)
  const isLeftOut = lots.length < guest.lots.length
  const sent: MovedGuest = {
    ...{ ...rest, lots: lots.map(({ lot }) => lot), rewards },
    ...(isLeftOut ? { lots_left_out: true } : undefined),
    ...(standing === undefined ? undefined : { standing })
  }
  return { guest: sent, place, lots: lots.map(({ at }) => at) }
}
