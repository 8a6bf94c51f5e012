/** A case of the conformance table. */
import type { Effect } from "effect"
import type { OperationId } from "../contract/protocol/Operations.ts"
import type { CaseError, Level } from "./CheckOutcome.ts"
import type { Probe } from "./Probe.ts"

export interface Case {
  /** Unique, `topic.word`. */
  readonly id: string
  readonly level: Level
  /** Page and section of the contract that state the rule. */
  readonly rule: string
  readonly title: string
  /** Operations that the case calls. It is skipped if the host does not serve all of them. */
  readonly needs: ReadonlyArray<OperationId>
  readonly run: (probe: Probe) => Effect.Effect<void, CaseError>
}
