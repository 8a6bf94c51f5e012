/** Computes the change that records, or a new ladder, make in the rollups. Pure. */
import { decodeEvents } from "../../core/account/Codec.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { StoredRecord } from "../../core/journal/Records.ts"
import { withAccount } from "../../core/rules/Expiration.ts"
import type { Hold } from "./Holds.ts"
import * as Holds from "./Holds.ts"
import type { Ladder } from "./Ladder.ts"
import * as LadderOf from "./Ladder.ts"
import type { LotChange } from "./LotChanges.ts"
import { lotChanges } from "./LotChanges.ts"
import type { MemberRollup } from "./Member.ts"
import * as Member from "./Member.ts"
import { OrderChanges } from "./OrderFigures.ts"
import { Sums } from "./Sums.ts"

/** A ladder, and the members that already have their tier by it. */
export interface SortedLadder {
  readonly ladder: Ladder
  /** Accounts up to this number have their tier by the ladder. Null: all have. */
  readonly sortedTo: number | null
  /** When the rollups began to use the ladder, ms. */
  readonly since: number
}

/** A record with its events. */
export interface Read {
  readonly record: StoredRecord
  readonly events: ReadonlyArray<AccountEvent>
}

export const read = (record: StoredRecord): Read => ({ record, events: decodeEvents(record) })

interface MemberLot {
  readonly account: number
  readonly unit: string
  /** ms. */
  readonly expires_at: number
  readonly amount: number
}

export class Change {
  readonly members = new Map<number, MemberRollup>()
  readonly ladders = new Map<string, SortedLadder>()
  readonly sums = new Sums()
  readonly orders = new OrderChanges()
  /** Changes of members' lots. The key is account, unit and expiry as one text. */
  private readonly memberLots = new Map<string, MemberLot>()
  private readonly before: ReadonlyMap<number, MemberRollup>
  private readonly holds: Map<string, Hold>
  private readonly ladderOf: (program: string) => Ladder

  /**
   * `before`: the rows of the accounts in the records. An account without a row has no earlier record. `holds`: the holds
   * that end in these records and were made in earlier ones.
   */
  constructor(
    before: ReadonlyMap<number, MemberRollup>,
    ladderOf: (program: string) => Ladder,
    holds: ReadonlyMap<string, Hold> = new Map()
  ) {
    this.before = before
    this.ladderOf = ladderOf
    this.holds = new Map(holds)
  }

  /** Adds a record. Requires: records of one account come in order of seq. */
  record({ events, record }: Read): void {
    const { account } = record
    const old = this.members.get(account) ?? this.before.get(account)
    const figures = Member.advance(old ?? Member.unopened, record, events)
    const { program } = figures
    Holds.note(this.holds, events)
    this.put(old, { ...figures, account, tier: LadderOf.keyOf(this.ladderOf(program), figures) })
    if (old !== undefined) for (const unit of old.units) this.sums.points(program, unit, -1)
    for (const unit of figures.units) this.sums.points(program, unit, 1)
    for (const change of lotChanges(events)) this.lot(program, account, change)
    this.undated(program, account, old, -1)
    this.undated(program, account, figures, 1)
    this.sums.activity(program, events)
    this.sums.beginnings(program, events)
    const [unknown] = this.sums.rewards(program, events, this.holds)
    if (unknown !== undefined) throw new Error(`no record has made hold ${unknown.reservation}`)
    this.orders.record(account, program, events)
  }

  /** Adds the points that end at an account's date, at that date. */
  private undated(program: string, account: number, figures: Member.Figures | undefined, times: 1 | -1): void {
    if (figures?.idle === undefined) return
    for (const { undated, unit } of figures.units)
      if (undated > 0) this.lot(program, account, { unit, expires: figures.idle, points: times * undated })
  }

  private lot(program: string, account: number, { expires, points, unit }: LotChange): void {
    if (expires === null || expires === withAccount) return
    this.sums.lot(program, unit, expires, points)
    const key = `${account} ${unit} ${expires}`
    const amount = (this.memberLots.get(key)?.amount ?? 0) + points
    this.memberLots.set(key, { account, unit, expires_at: expires, amount })
  }

  /** Gives a member its tier by the ladder in force. */
  sortByLadder(member: MemberRollup): void {
    const tier = LadderOf.keyOf(this.ladderOf(member.program), member)
    if (tier.tier !== member.tier.tier || tier.period !== member.tier.period) this.put(member, { ...member, tier })
  }

  private put(old: MemberRollup | undefined, member: MemberRollup): void {
    const { status, tier } = member
    if (old?.status !== status || old.tier.tier !== tier.tier || old.tier.period !== tier.period) {
      if (old !== undefined) this.sums.member(old, -1)
      this.sums.member(member, 1)
    }
    this.members.set(member.account, member)
  }

  /** The change in the form that `count_rollups` takes. */
  toJson() {
    return {
      ladders: [...this.ladders].map(([program_id, { ladder, since, sortedTo }]) => ({
        program_id,
        ladder: LadderOf.toText(ladder),
        sorted_to: sortedTo,
        since
      })),
      members: [...this.members.values()].map(
        ({ account, idle, joined, lastPeriod, member, period, program, promised, seq, status, tier, units }) => ({
          account,
          seq,
          program_id: program,
          member_id: member,
          status,
          joined,
          tier_id: tier.tier,
          tier_period: tier.period,
          period,
          units: Member.unitsText({ idle, lastPeriod, promised, units }),
          ...Object.fromEntries(
            units.flatMap(({ posted, reserved, unit }) => [
              [`${unit}_posted`, posted],
              [`${unit}_reserved`, reserved]
            ])
          )
        })
      ),
      kinds: this.sums.rows("rollup_members"),
      points: this.sums.rows("rollup_points"),
      lots: this.sums.rows("rollup_lots"),
      activity: this.sums.rows("rollup_activity"),
      joined: this.sums.rows("rollup_joined"),
      sales: this.sums.rows("rollup_sales"),
      rewards: this.sums.rows("rollup_rewards"),
      member_lots: [...this.memberLots.values()].filter(({ amount }) => amount !== 0),
      ...this.orders.toJson()
    }
  }
}
