/**
 * Decides which requests meet a fault: the next ones, or a share of them by a seeded sequence, so that a run with the
 * same seed and the same requests meets the same faults.
 */
import type { FaultRule as ContractRule } from "../../contract/admin/Faults.ts"

export type FaultKind = (typeof ContractRule.Type)["fault"]

/** Which requests a rule is for: exactly one of `next` and `rate_bps`. */
export interface FaultRule {
  readonly fault: FaultKind
  /** The next so many requests that fit. */
  readonly next?: number
  /** A share of the requests that fit, in 1/10,000. */
  readonly rate_bps?: number
  /** Absent: every method. */
  readonly method?: string
  /** The whole path, without its query. Absent: every path. */
  readonly path?: string
  /** With `delay`. */
  readonly delay_ms?: number
  /** With `answer_503`. */
  readonly retry_after_seconds?: number
}

/** A rule with how often it has applied. */
interface CountedRule<Rule extends FaultRule> {
  readonly rule: Rule
  applied: number
}

export const defaultRetryAfterSeconds = 1

/** Numbers from 0 up to 1 (Mulberry32), the same for the same seed. */
const sequence = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export class FaultRules<Rule extends FaultRule = FaultRule> {
  readonly seed: number
  private readonly random: () => number
  private readonly counted: Array<CountedRule<Rule>> = []

  constructor(rules: ReadonlyArray<Rule>, seed: number) {
    this.seed = seed
    this.random = sequence(seed)
    for (const rule of rules) this.add(rule)
  }

  /** Adds a rule after the others. */
  add(rule: Rule): void {
    this.counted.push({ rule, applied: 0 })
  }

  /** In their order. */
  rules(): ReadonlyArray<Readonly<CountedRule<Rule>>> {
    return this.counted
  }

  /** The first rule that applies to a request, counted; undefined: none. */
  of(method: string, path: string): Rule | undefined {
    const found = this.counted.find(({ applied, rule }) => {
      if ((rule.method ?? method) !== method || (rule.path ?? path) !== path) return false
      if (rule.rate_bps !== undefined && this.random() * 10_000 >= rule.rate_bps) return false
      return rule.next === undefined || applied < rule.next
    })
    if (found === undefined) return undefined
    found.applied++
    return found.rule
  }
}
