/** Given these decisions, when this action, then these events (or this refusal). */
import { assert } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { RequestOf } from "../../../../src/contract/protocol/Operations.ts"
import type { Unit } from "../../../../src/contract/Values.ts"
import type { Recorded } from "../../../../src/core/account/Codec.ts"
import type { AccountEvent } from "../../../../src/core/account/domain/AccountEvent.ts"
import type { Action, CardReward } from "../../../../src/core/account/domain/Action.ts"
import * as Announced from "../../../../src/core/account/domain/Announced.ts"
import { decide } from "../../../../src/core/account/domain/Decide.ts"
import type { Decided, Decision, Recalled } from "../../../../src/core/account/domain/Decision.ts"
import { evolve } from "../../../../src/core/account/domain/Evolve.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import { type MergeDecided, merge } from "../../../../src/core/account/domain/Merge.ts"
import { type MoveDecided, move } from "../../../../src/core/account/domain/Move.ts"
import { firstTier } from "../../../../src/core/account/domain/Notices.ts"
import type { Accrual, Posted } from "../../../../src/core/account/domain/Posted.ts"
import { recall, type Segment, wants } from "../../../../src/core/account/domain/Recall.ts"
import type { RefusalCode } from "../../../../src/core/account/domain/Refusal.ts"
import type { State } from "../../../../src/core/account/domain/State.ts"
import { initialState, pathFrom, unitOf } from "../../../../src/core/account/domain/State.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"

export const start = Date.UTC(2026, 6, 14, 10)
export const second = 1000
export const day = 86_400_000

const cards: ReadonlyArray<CardReward> = Array.from({ length: 20 }, (_, i) => ({
  issued: `card-${i}`,
  code: `CODE-${i}`
}))

type Folded = Pick<Recorded, "events" | "seq">

/** The state after a record, by its events alone. */
export const fold = (state: State, { events, seq }: Folded): State => ({
  ...events.reduce((on, event) => evolve(on, event, seq), state),
  announced: state.announced + Announced.count(events)
})

/** An account's number and all of its records, and those of the members that were merged into it. */
export interface Past {
  readonly account: number
  readonly records: ReadonlyArray<Folded>
  readonly merged: ReadonlyArray<Past>
}

/** Every way through the records of a member and on through those of the members it was merged into. */
const waysThrough = ({ account, merged, records }: Past, state: State): ReadonlyArray<ReadonlyArray<Segment>> => {
  const all = (past: Past): ReadonlyArray<Past> => [past, ...past.merged.flatMap(all)]
  const pasts = [{ account, merged, records }, ...merged.flatMap(all)]
  const from = (number: number, seq: number) =>
    pasts.find((past) => past.account === number)?.records.filter((record) => record.seq >= seq) ?? []
  return pasts.map((past): ReadonlyArray<Segment> => {
    const path = past.account === account ? [] : (pathFrom(state, past.account) ?? [])
    return [
      { records: past.records },
      ...path.map((merged, index) => ({ merged, records: from(path[index + 1]?.account ?? account, merged.seq) }))
    ]
  })
}

/** Records that the account would recall for an action, out of all of its records. */
export const recalledFor = (state: State, action: Action, past: Past): Recalled => {
  let recalled: Recalled = {}
  for (let want = wants(state, action); want !== undefined; want = wants(state, action, recalled)) {
    const { type } = want
    const found = waysThrough(past, state).map((segments) => recall(want!, segments))
    recalled = { ...recalled, ...(found.find((one) => one[type] !== undefined) ?? found[0]) }
  }
  return recalled
}

/** Reservation `rsv-1` belongs to redemption `red-1`. */
export const reservationOf = (action: Action): { readonly reservation?: string } =>
  action.type === "reserve" ? { reservation: action.redemption.replace(/^red-/, "rsv-") } : {}

const usual = Testing.order("any", 1).placed_at

/** An action whose order was placed at an instant, unless the order has a date of its own. */
export const placed = (action: Action, at: number): Action =>
  (action.type === "accrue" || action.type === "reserve") && action.order.placed_at === usual
    ? { ...action, order: { ...action.order, ...Testing.placedAt(at) } }
    : action

/** One account through its decisions, on a clock that the test moves. */
export class Scenario {
  program: Program
  state: State
  now = start
  readonly records: Array<Folded> = []
  readonly merged: Array<Scenario> = []
  readonly account: number

  constructor(program: Program = Testing.demoProgram, member = "ada", account = 1) {
    this.program = program
    this.account = account
    const identity = `${member}'s`
    const enrolled = {
      type: "enrolled",
      at: start,
      program: program.id,
      member,
      identity,
      ...firstTier(program)
    } as const
    this.records.push({ seq: 1, events: [enrolled] })
    this.state = this.replayed
  }

  /** From here on, under another version of the programme. */
  under(program: Program): this {
    this.program = program
    return this
  }

  wait(ms: number): this {
    this.now += ms
    return this
  }

  decide(action: Action): Decision {
    const recalled = recalledFor(this.state, action, this)
    const given = { now: this.now, program: this.program, cards, recalled }
    return decide(this.state, placed(action, this.now), { ...given, ...reservationOf(action) })
  }

  /** The action must be decided; its events. */
  when(action: Action): Decided {
    const decision = this.decide(action)
    if (decision._tag !== "Decided") throw new Error(`not decided: ${JSON.stringify(decision)}`)
    this.state = decision.state
    this.records.push({ seq: decision.state.seq, events: decision.events })
    return decision
  }

  /** Decision on the merge of another member into this one, at the later of the two times. */
  decideMerge(from: Scenario): ReturnType<typeof merge> {
    this.now = Math.max(this.now, from.now)
    const sides = {
      from: { account: from.account, state: from.state },
      into: { account: this.account, state: this.state }
    }
    return merge(sides, { now: this.now, program: this.program, cards })
  }

  /** Merges another member into this one. */
  merge(from: Scenario): MergeDecided {
    const decision = this.decideMerge(from)
    if (decision._tag !== "Decided") throw new Error(`not decided: ${JSON.stringify(decision)}`)
    for (const [one, decided] of [
      [from, decision.from],
      [this, decision.into]
    ] as const) {
      one.state = decided.state
      one.records.push({ seq: decided.state.seq, events: decided.events })
    }
    from.now = this.now
    this.merged.push(from)
    return decision
  }

  /** A balance out of a time before single credits were bounded. */
  having(amount: number, unit: Unit = "points"): this {
    const { at, entries, seq } = this.state
    const n = entries + 1
    const facts = { adjustment: "old", classification: "migration", qualifies: true } as const
    const posted = { type: "posted", at, n, op: "manual", unit, amount, ...facts } as const
    this.state = fold(this.state, { seq: seq + 1, events: [posted] })
    this.records.push({ seq: seq + 1, events: [posted] })
    return this
  }

  given(...actions: ReadonlyArray<Action>): this {
    for (const action of actions) this.when(action)
    return this
  }

  /** From here on, the orders so far are as earlier rules recorded them: without the terms of their accrual. */
  recordedBefore(): this {
    for (const [index, { events, seq }] of this.records.entries()) {
      const before = events.map((event): AccountEvent => {
        if (event.type !== "posted" || event.op !== "accrual") return event
        const { elsewhere: _, lines: __, minimum: ___, ...rest } = event
        return rest
      })
      this.records[index] = { seq, events: before }
    }
    return this
  }

  /** From here on, the records so far are as a version wrote them that did not know these fields. */
  recordedWithout(...fields: ReadonlyArray<string>): this {
    const isKnown = ([name]: readonly [string, unknown]) => !fields.includes(name)
    for (const [index, { events, seq }] of this.records.entries()) {
      const before = events.map(
        (event) => Object.fromEntries(Object.entries(event).filter(isKnown)) as unknown as AccountEvent
      )
      this.records[index] = { seq, events: before }
    }
    this.state = this.replayed
    return this
  }

  /** The state out of the records alone. */
  get replayed(): State {
    return this.records.reduce(fold, initialState)
  }

  /** The entries that an action posts: `[operation, unit, amount]`. */
  posts(action: Action): ReadonlyArray<readonly [string, string, number]> {
    return entries(this.when(action).events).map(({ amount, op, unit }) => [op, unit, amount] as const)
  }

  refuses(action: Action, code: RefusalCode): void {
    const before = this.state
    const decision = this.decide(action)
    assert.deepInclude(decision, { _tag: "Refusal", code })
    assert.strictEqual(this.state, before)
  }

  balance(unit: Unit = "points"): readonly [posted: number, reserved: number] {
    const account = unitOf(this.state, unit)
    return [account.posted, account.reserved]
  }

  /** Every entry so far. */
  get ledger(): ReadonlyArray<Posted> {
    return this.records.flatMap((record) => entries(record.events))
  }

  /** Rest of each lot, by the number of the entry that made it. */
  lots(unit: Unit = "points"): ReadonlyArray<readonly [number, number]> {
    return Lots.toArray(unitOf(this.state, unit).lots).map(([n, left]) => [n, left] as const)
  }
}

/** Moves an order from one guest to another. */
export const moveOrder = (from: Scenario, into: Scenario, id: string, n = 1): MoveDecided => {
  const { order: known } = recalledFor(from.state, adjust(id, "void", 0), from)
  const accrual = from.records.findLast(({ events }) =>
    entries(events).some((one) => one.op === "accrual" && one.order === id)
  )
  if (known === undefined || accrual === undefined) throw new Error(`order ${id} is not there`)
  const decision = move(
    { from: { account: from.account, state: from.state }, into: { account: into.account, state: into.state } },
    {
      order: known,
      accrual: { events: accrual.events, reply: { type: "none" } },
      move: n,
      before: [from.account],
      adjustment: `move ${n}`,
      reason: "test"
    },
    {
      now: Math.max(from.now, into.now),
      program: from.program,
      cards: [1, 2, 3].map((n) => ({ issued: `moved-${n}`, code: `M${n}` }))
    }
  )
  if (decision._tag !== "Decided") throw new Error(`not decided: ${JSON.stringify(decision)}`)
  for (const [one, decided] of [
    [from, decision.from],
    [into, decision.into]
  ] as const) {
    one.state = decided.state
    one.records.push({ seq: decided.state.seq, events: decided.events })
    assert.deepStrictEqual(one.replayed, one.state)
  }
  return decision
}

export const entries = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<Posted> =>
  events.filter((event) => event.type === "posted")

export const accruals = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<Accrual> =>
  entries(events).filter((entry) => entry.op === "accrual")

export const accrue = (
  id: string,
  amount: number,
  overrides: Partial<RequestOf<"accrual.post">["order"]> = {},
  program = "demo-foodservice"
): Action => ({ type: "accrue", order: Testing.order(id, amount, overrides, program) })

const money = (amount: number, currency = "USD") => ({ amount, currency })

export const adjust = (
  order: string,
  type: "partial_refund" | "full_refund" | "void" | "correction",
  delta: number,
  currency = "USD"
): Action => ({
  type: "adjust_order",
  adjustment: {
    adjustment_id: "adjustment",
    original_order_id: order,
    type,
    reason: "test",
    occurred_at: "2026-07-14T10:00:00Z",
    order_total_delta: money(delta, currency),
    eligible_spend_delta: money(delta, currency)
  }
})

export const manual = (amount: number, more: Partial<Extract<Action, { type: "adjust_manually" }>> = {}): Action => ({
  type: "adjust_manually",
  adjustment: "manual",
  amount,
  classification: "gift",
  reason: "test",
  qualifies: false,
  ...more
})

export const reserve = (n: number, more: Partial<Extract<Action, { type: "reserve" }>> = {}): Action => ({
  type: "reserve",
  redemption: `red-${n}`,
  reward: "one-off",
  order: Testing.order(`hold-${n}`, 500, { status: "open" }),
  ...more
})

export const capture = (n: number, order = `hold-${n}`): Action => ({ type: "capture", reservation: `rsv-${n}`, order })
export const reverse = (n: number): Action => ({ type: "reverse", reservation: `rsv-${n}`, reason: "test" })
export const issue = (issued: string, more: Partial<Extract<Action, { type: "issue_reward" }>> = {}): Action => ({
  type: "issue_reward",
  issued,
  reward: "one-off",
  artifact: { type: "code", value: issued },
  ...more
})
export const cancel = (issued: string): Action => ({ type: "cancel_reward", issued, reason: "test" })
export const status = (to: "active" | "suspended" | "closed"): Action => ({
  type: "set_status",
  status: to,
  reason: "test"
})
export const identities = (add: ReadonlyArray<string>, remove: ReadonlyArray<string> = []): Action => ({
  type: "change_identities",
  add,
  remove
})
export const expire: Action = { type: "expire" }
