/**
 * Decides which requests meet a fault: the next ones, or a share of them by a seeded sequence, so that a run with the
 * same seed and the same requests meets the same faults.
 */

export const faultKinds = ["drop_request", "drop_answer", "delay", "answer_503", "duplicate"] as const
export type FaultKind = (typeof faultKinds)[number]

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
export interface CountedRule {
  readonly rule: FaultRule
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

export class FaultRules {
  readonly seed: number
  private readonly random: () => number
  private readonly counted: Array<CountedRule> = []

  constructor(rules: ReadonlyArray<FaultRule>, seed: number) {
    this.seed = seed
    this.random = sequence(seed)
    for (const rule of rules) this.add(rule)
  }

  /** Adds a rule after the others. */
  add(rule: FaultRule): CountedRule {
    const counted = { rule, applied: 0 }
    this.counted.push(counted)
    return counted
  }

  /** In their order. */
  rules(): ReadonlyArray<Readonly<CountedRule>> {
    return this.counted
  }

  /** The first rule that applies to a request, counted; undefined: none. */
  of(method: string, path: string): FaultRule | undefined {
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
