/** What some records, or a new ladder, change in the rollups. Pure. */
import type { StoredRecord } from "../journal/Journal.ts"
import type { Ladder } from "./Ladder.ts"
import * as LadderOf from "./Ladder.ts"
import type { MemberRollup } from "./Member.ts"
import * as Member from "./Member.ts"
import { Sums } from "./Sums.ts"

/** A ladder and how far the rollups are sorted by it. */
export interface SortedLadder {
  readonly ladder: Ladder
  /** Accounts up to this number are sorted; null: all are. */
  readonly sortedTo: number | null
  /** When the sorting began, ms. */
  readonly since: number
}

export class Change {
  readonly members = new Map<number, MemberRollup>()
  readonly ladders = new Map<string, SortedLadder>()
  readonly sums = new Sums()
  private readonly before: ReadonlyMap<number, MemberRollup>
  private readonly ladderOf: (program: string) => Ladder

  /** `before`: the rows of the accounts concerned; those that are missing were never opened. */
  constructor(before: ReadonlyMap<number, MemberRollup>, ladderOf: (program: string) => Ladder) {
    this.before = before
    this.ladderOf = ladderOf
  }

  /** Counts a record; those of an account come in their order. */
  record(record: StoredRecord): void {
    const { account } = record
    const old = this.members.get(account) ?? this.before.get(account)
    const { events, figures } = Member.advance(old ?? Member.unopened, record)
    const { program } = figures
    this.put(old, { ...figures, account, tier: LadderOf.keyOf(this.ladderOf(program), figures) })
    if (old !== undefined) for (const unit of old.units) this.sums.points(program, unit, -1)
    for (const unit of figures.units) this.sums.points(program, unit, 1)
    this.sums.lots(program, events)
    this.sums.activity(program, events)
  }

  /** Sorts a member by the ladder in force. */
  sort(member: MemberRollup): void {
    const tier = LadderOf.keyOf(this.ladderOf(member.program), member)
    if (tier.tier !== member.tier.tier || tier.period !== member.tier.period) this.put(member, { ...member, tier })
  }

  private put(old: MemberRollup | undefined, member: MemberRollup): void {
    if (old !== undefined) this.sums.member(old, -1)
    this.sums.member(member, 1)
    this.members.set(member.account, member)
  }

  /** As `change_rollups` takes it. */
  toJson(): string {
    return JSON.stringify({
      ladders: [...this.ladders].map(([program_id, { ladder, since, sortedTo }]) => ({
        program_id,
        ladder: LadderOf.toText(ladder),
        sorted_to: sortedTo,
        since
      })),
      members: [...this.members.values()].map(
        ({ account, joined, member, period, program, seq, status, tier, units }) => ({
          account,
          seq,
          program_id: program,
          member_id: member,
          status,
          joined,
          tier_id: tier.tier,
          tier_period: tier.period,
          period,
          units: Member.unitsText(units)
        })
      ),
      kinds: this.sums.rows("rollup_members"),
      points: this.sums.rows("rollup_points"),
      lots: this.sums.rows("rollup_lots"),
      activity: this.sums.rows("rollup_activity")
    })
  }
}
