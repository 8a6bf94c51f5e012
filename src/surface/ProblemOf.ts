/** Makes problem documents inside an answer (of batches): the same document as for a single refused request. */
import { Context } from "effect"
import type { Refused } from "../contract/admin/Common.ts"
import type { Problem } from "../contract/protocol/Problem.ts"

export class ProblemOf extends Context.Service<
  ProblemOf,
  { readonly of: (refused: Refused, instance: string) => typeof Problem.Type }
>()("lotbook/surface/ProblemOf") {}
