/** Problem documents within an answer: what the server would send for a refusal alone. */
import { Context } from "effect"
import type { Refused } from "../contract/admin/Common.ts"
import type { Problem } from "../contract/protocol/Problem.ts"

export class ProblemOf extends Context.Service<
  ProblemOf,
  { readonly of: (refused: Refused, instance: string) => typeof Problem.Type }
>()("lotbook/platform/ProblemOf") {}
