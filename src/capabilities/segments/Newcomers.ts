/**
 * Whether an audience holds guests who have only joined, now or once time has passed: those whom an import enrols
 * (contract/engagement.md *Changes of an active audience*). Pure.
 */
import type { Program } from "../../core/rules/Program.ts"
import type { Audience } from "./Audience.ts"
import type { Condition, Rule } from "./Rules.ts"

/** True if a rule can be true, and if it can be false, of a guest without points, orders, events and profile. */
interface Possible {
  readonly true: boolean
  readonly false: boolean
}

const always = (holds: boolean): Possible => ({ true: holds, false: !holds })

const ofCondition = (condition: Exclude<Condition, { readonly type: "segment" }>, { tiers }: Program): Possible => {
  switch (condition.type) {
    case "status":
      return always(condition.statuses.includes("active"))
    case "tier":
      return always(tiers[0] !== undefined && condition.tiers.includes(tiers[0].tier_id))
    case "balance":
      return always((condition.atLeast ?? 0) <= 0 && (condition.atMost ?? 0) >= 0)
    case "inactive":
    case "joined":
      return { true: true, false: true }
    default:
      return always(false)
  }
}

/** True if an audience may hold guests who have only joined. */
export const mayHoldNewcomers = ({ id, named, program, rule }: Audience): boolean => {
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
        const other = named.get(one.segment)
        return other === undefined ? always(false) : ofRule(other)
      }
      default:
        return ofCondition(one, program)
    }
  }
  return ofRule(rule ?? { type: "segment", segment: id }).true
}
