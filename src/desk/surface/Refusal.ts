/** Refusals of the operators' handlers. All are one error type, which the server turns into a problem document. */
import { Effect } from "effect"
import * as Archived from "../../base/database/Archived.ts"
import { storageUnavailable } from "../../base/database/Pools.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import { faultsDetail } from "../../contract/Decode.ts"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"
import { Refused } from "../../contract/Refused.ts"
import type { Sentence } from "../../contract/Said.ts"
import { detailOf } from "../../contract/Said.ts"
import type { Refusal } from "../../core/account/domain/Refusal.ts"
import { type Trouble, troubleOf } from "../../core/account/Outcome.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { unreachableDetail } from "./Problems.ts"

export const refuse = (
  code: ProblemCode,
  sentence: Sentence,
  errors?: ReadonlyArray<BodyFault>
): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ code, ...detailOf(sentence), ...(errors === undefined ? undefined : { errors }) }))

/** Refuses a request with faults, in the same form as faults of a schema. */
export const refuseFaults = (faults: ReadonlyArray<BodyFault>): Effect.Effect<never, Refused> =>
  refuse("validation_failed", faultsDetail(faults), faults)

const transient: ReadonlySet<ProblemCode> = new Set([
  "overloaded",
  "storage_unavailable",
  "node_unreachable",
  "write_frozen",
  "not_active",
  // After a restore.
  "archived"
])

/** True if a retry may succeed. Such a refusal is never stored as a result. */
export const isTransient = ({ code }: Refused): boolean => transient.has(code)

/** Converts a refusal of the domain or trouble of an account. */
export const refusedBy = (outcome: Refusal | Trouble): Refused => {
  switch (outcome._tag) {
    case "Refusal":
      return new Refused({
        code: outcome.code,
        detail: outcome.detail,
        template: outcome.template,
        errors: outcome.errors
      })
    case "Unavailable":
      return storageUnavailable
    case "Archived":
      return Archived.refused(outcome.month)
    case "Unreachable":
      return new Refused({ code: "node_unreachable", detail: unreachableDetail })
    case "Overloaded":
      return new Refused({ code: "overloaded", detail: "Too many requests are waiting; nothing was done." })
    case "Frozen":
      return new Refused({ code: "write_frozen", detail: "Writes are frozen; reads work." })
  }
}

/** A failure of the journal as a refusal. */
export const orUnavailable = <A>(effect: Effect.Effect<A, JournalUnavailable>): Effect.Effect<A, Refused> =>
  Effect.catchTag(effect, "JournalUnavailable", (error) => Effect.fail(refusedBy(troubleOf(error))))
