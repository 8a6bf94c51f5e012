/**
 * The guests who come into an audience by what a person does: those who have only joined, now or once time has passed,
 * as by an import (contract/engagement.md *Changes of an active audience*), and those whose attributes, tier or points
 * she changes or whose events she records. Pure.
 */
import { isObject } from "../../contract/Decode.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import type { State } from "../../core/account/domain/State.ts"
import { unitOf } from "../../core/account/domain/State.ts"
import * as View from "../../core/account/domain/View.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Audience } from "./Audience.ts"
import type { Condition, Rule } from "./Rules.ts"
import { conditionsOf } from "./Rules.ts"

/** True if a rule can be true, and if it can be false, of a guest of whom not everything is known. */
interface Possible {
  readonly true: boolean
  readonly false: boolean
}

const always = (holds: boolean): Possible => ({ true: holds, false: !holds })

const anything: Possible = { true: true, false: true }

type Simple = Exclude<Condition, { readonly type: "segment" }>

/** Of a guest without points, orders, events and profile. */
const ofNewcomer = (condition: Simple, { tiers }: Program): Possible => {
  switch (condition.type) {
    case "status":
      return always(condition.statuses.includes("active"))
    case "tier":
      return always(tiers[0] !== undefined && condition.tiers.includes(tiers[0].tier_id))
    case "balance":
      return always((condition.atLeast ?? 0) <= 0 && (condition.atMost ?? 0) >= 0)
    case "inactive":
    case "joined":
      return anything
    default:
      return always(false)
  }
}

const rootOf = ({ id, rule }: Audience): Rule => rule ?? { type: "segment", segment: id }

/** `ofListed`: of a static segment. */
const possible = (
  audience: Audience,
  ofCondition: (condition: Simple) => Possible,
  ofListed: Possible = anything
): Possible => {
  const ofRule = (one: Rule): Possible => {
    switch (one.type) {
      case "all":
      case "any": {
        const parts = one.rules.map(ofRule)
        return one.type === "all"
          ? { true: parts.every((part) => part.true), false: parts.some((part) => part.false) }
          : { true: parts.some((part) => part.true), false: parts.every((part) => part.false) }
      }
      case "not": {
        const inner = ofRule(one.rule)
        return { true: inner.false, false: inner.true }
      }
      case "segment": {
        const other = audience.named.get(one.segment)
        return other === undefined ? ofListed : ofRule(other)
      }
      default:
        return ofCondition(one)
    }
  }
  return ofRule(rootOf(audience))
}

/** True if an audience may hold guests who have only joined. */
export const mayHoldNewcomers = (audience: Audience): boolean =>
  possible(audience, (condition) => ofNewcomer(condition, audience.program), always(false)).true

export type Attributes = Readonly<Record<string, unknown>>

const holds = ({ name, values }: Extract<Condition, { readonly type: "attribute" }>, attributes: Attributes): boolean =>
  values.some((value) => value === attributes[name])

/** Facts of a guest at an instant, ms. */
export interface Known {
  readonly attributes: Attributes
  /** With everything due applied. Undefined: unknown, and as it was. */
  readonly state: State | undefined
  readonly at: number
}

/** True or false where the facts decide a condition. */
const holdsOf = (one: Simple, { at, attributes, state }: Known, program: Program): boolean | undefined => {
  if (one.type === "attribute") return holds(one, attributes)
  if (state === undefined) return undefined
  switch (one.type) {
    case "status":
      return one.statuses.includes(state.status)
    case "tier": {
      const tier = Metrics.tierOf(state, program, at)
      return tier !== undefined && one.tiers.includes(tier.tier_id)
    }
    case "balance": {
      const { posted, reserved } = unitOf(state, one.unit ?? program.primaryUnit)
      const amount = one.figure === "posted" ? posted : posted - reserved
      return amount >= (one.atLeast ?? -Infinity) && amount <= (one.atMost ?? Infinity)
    }
    case "expiring": {
      const unit = one.unit ?? program.primaryUnit
      const soon = View.expiring(state, at).filter((lot) => lot.unit === unit && lot.at <= at + one.days * dayMs)
      return soon.reduce((sum, { amount }) => sum + amount, 0) >= one.amount
    }
    default:
      return undefined
  }
}

/** An event of a guest. */
export interface Recorded {
  readonly type: string
  /** Minor units of `currency`. */
  readonly value?: number | undefined
  readonly currency?: string | undefined
  readonly properties?: unknown
}

const reads =
  (...types: ReadonlyArray<Condition["type"]>) =>
  ({ named }: Audience): boolean =>
    [...named.values()].some(
      (rule) => rule !== undefined && conditionsOf(rule).some(({ type }) => types.includes(type))
    )

/** True if attributes or events decide about a member of an audience. */
export const readsChanges = reads("attribute", "event")

/** True if tiers or points decide about a member of an audience. */
export const readsStates = reads("tier", "balance", "expiring")

/** True if an attribute decides about a member of an audience. */
export const readsAttribute = ({ named }: Audience, name: string): boolean =>
  [...named.values()].some(
    (rule) => rule !== undefined && conditionsOf(rule).some((one) => one.type === "attribute" && one.name === name)
  )

/** True if a change makes a condition hold, or not hold, where the rule of an audience needs that. */
const isTurned = (audience: Audience, turns: (condition: Simple, to: boolean) => boolean): boolean => {
  const within = (one: Rule, to: boolean): boolean => {
    switch (one.type) {
      case "all":
      case "any":
        return one.rules.some((part) => within(part, to))
      case "not":
        return within(one.rule, !to)
      case "segment": {
        const other = audience.named.get(one.segment)
        return other !== undefined && within(other, to)
      }
      default:
        return turns(one, to)
    }
  }
  return within(rootOf(audience), true)
}

/** True if a guest may come into an audience because facts of it change, whatever else is true of the guest. */
export const mayComeBy = (audience: Audience, before: Known, after: Known): boolean => {
  const { program } = audience
  const of = (known: Known) =>
    possible(audience, (one) => {
      const is = holdsOf(one, known, program)
      return is === undefined ? anything : always(is)
    })
  const turns = (one: Simple, to: boolean) =>
    holdsOf(one, after, program) === to && holdsOf(one, before, program) === !to
  return isTurned(audience, turns) && of(before).false && of(after).true
}

/** True if a guest may come into an audience because of an event, whatever else is true of the guest. */
export const mayComeByEvent = (audience: Audience, event: Recorded): boolean =>
  isTurned(audience, (one, to) => to && one.type === "event" && counts(one, event, audience.program))

const counts = (
  { event, property, value }: Extract<Condition, { readonly type: "event" }>,
  recorded: Recorded,
  { currency }: Program
): boolean =>
  event === recorded.type &&
  (property === undefined ||
    (isObject(recorded.properties) && recorded.properties[property.name] === property.equals)) &&
  (value === undefined || (recorded.currency === currency && (recorded.value ?? 0) >= value))
