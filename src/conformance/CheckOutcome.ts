/** Outcomes of the conformance table: differences, skips and stops. */
import { Schema } from "effect"
import type { Exchange, NoAnswer } from "./Host.ts"

/** `base`: the protocol's specification requires it of every host. `strict`: this project's decisions add it. */
export type Level = "base" | "strict"

/** The case does not apply to this host or programme. */
export class Skip extends Schema.TaggedError<Skip>()("Skip", { why: Schema.String }) {}

/** The case cannot continue; its difference is recorded. */
export class Stop extends Schema.TaggedError<Stop>()("Stop", {}) {}

export type CaseError = Skip | Stop | NoAnswer

/** A rule that is checked on every answer of the run. */
export interface Watch {
  readonly id: string
  readonly level: Level
  readonly rule: string
  readonly title: string
  /** Expected and actual value; undefined if the answer keeps the rule. */
  readonly check: (exchange: Exchange) => { readonly expected: string; readonly got: string } | undefined
}

export interface Difference {
  /** Method and path. */
  readonly request: string
  readonly sent?: unknown
  readonly expected: string
  readonly got: string
}

export interface CheckOutcome {
  readonly id: string
  readonly level: Level
  readonly rule: string
  readonly title: string
  readonly status: "ok" | "differs" | "skipped"
  /** The reason of a skip, or a remark on `ok`. */
  readonly note?: string
  /** How to repair it. */
  readonly advice?: string
  readonly differences: ReadonlyArray<Difference>
  readonly tookMs: number
}
