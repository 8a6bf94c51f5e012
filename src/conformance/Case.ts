/** A case of the conformance table. */
import type { Effect } from "effect"
import type { OperationId } from "../contract/protocol/Operations.ts"
import type { CaseError, Level } from "./Outcome.ts"
import type { Probe } from "./Probe.ts"

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
