/** The cases of the conformance table, and their outcomes. */
import { Schema } from "effect"
import type { Effect } from "effect"
import type { OperationId } from "../contract/protocol/Operations.ts"
import type { Exchange, NoAnswer } from "./Host.ts"
import type { Probe } from "./Probe.ts"

/** `base`: the protocol's specification requires it of every host. `strict`: this project's decisions add it. */
export type Level = "base" | "strict"

/** The case does not apply to this host or programme. */
export class Skip extends Schema.TaggedError<Skip>()("Skip", { why: Schema.String }) {}

/** The case cannot go on; its difference is recorded. */
export class Stop extends Schema.TaggedError<Stop>()("Stop", {}) {}

export type CaseError = Skip | Stop | NoAnswer

export interface Case {
  /** Unique; `topic.word`. */
  readonly id: string
  readonly level: Level
  /** Document and section that require it. */
  readonly rule: string
  readonly title: string
  /** Operations without which the case is skipped on a host that does not serve them. */
  readonly needs: ReadonlyArray<OperationId>
  readonly run: (probe: Probe) => Effect.Effect<void, CaseError>
}

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
