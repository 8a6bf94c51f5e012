/** Outcomes of the conformance table: differences, skips and stops. */
import { Schema } from "effect"
import type { Exchange, NoAnswer } from "./Host.ts"

/** `base`: the protocol's specification requires it of every host. `strict`: this project's decisions add it. */
export type Level = "base" | "strict"

/** The case does not apply to this host or programme. */
export class Skip extends Schema.TaggedError<Skip>()("Skip", { why: Schema.String }) {}

/** The case cannot go on; its difference is recorded. */
export class Stop extends Schema.TaggedError<Stop>()("Stop", {}) {}

export type CaseError = Skip | Stop | NoAnswer

/** A rule that every answer of the run is held to. */
export interface Watch {
  readonly id: string
  readonly level: Level
  readonly rule: string
  readonly title: string
  /** What is expected and what came instead; undefined where the answer keeps the rule. */
  readonly check: (exchange: Exchange) => { readonly expected: string; readonly got: string } | undefined
}

export interface Difference {
  /** Method and path, with the body that was sent where there was one. */
  readonly request: string
  readonly sent?: unknown
  readonly expected: string
  readonly got: string
}

export interface Outcome {
  readonly id: string
  readonly level: Level
  readonly rule: string
  readonly title: string
  readonly status: "ok" | "differs" | "skipped"
  /** Why it was skipped, or what is worth knowing beside `ok`. */
  readonly note?: string
  /** What to do about it. */
  readonly advice?: string
  readonly differences: ReadonlyArray<Difference>
  readonly tookMs: number
}
