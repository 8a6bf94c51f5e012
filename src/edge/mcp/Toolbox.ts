/** How a tool is made: only looking, with its scopes in its description, and its parameters checked strictly. */
import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { operations } from "../../contract/protocol/Operations.ts"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { askedFor, scopesFor } from "../../contract/Scopes.ts"
import { Identifier } from "../../contract/Values.ts"
import { Asking, type Question, ToolRefused } from "./Asking.ts"
import { ToolAnswer } from "./ToolAnswer.ts"

/** The scopes of a route, by its name in the contract: any one of them is enough. */
export const scopesOf = (operation: string): ReadonlyArray<Scope> => {
  if (operation === "order.evaluate") return [operations[operation].scope]
  const asked = askedFor(operation)
  if (asked === undefined) throw new Error(`the table of scopes has no ${operation}`)
  return scopesFor(asked)
}

export interface Facts<Fields extends Schema.Struct.Fields> {
  readonly title: string
  readonly description: string
  /** The routes that it asks, by their names in the contract. */
  readonly asks: readonly [string, ...ReadonlyArray<string>]
  /** Routes whose answers it does without, for a caller who lacks their scopes. */
  readonly mayAsk?: ReadonlyArray<string>
  readonly parameters: Fields
}

const neededFor = (asked: ReadonlyArray<string>): string =>
  [...new Set(asked.map((one) => scopesOf(one).join(" or ")))].join(", and ")

export const make = <const Name extends string, Fields extends Schema.Struct.Fields>(
  name: Name,
  { asks, description, mayAsk = [], parameters, title }: Facts<Fields>
) => {
  const more = mayAsk.length === 0 ? "" : ` It tells more with ${neededFor(mayAsk)}.`
  return Tool.make(name, {
    description: `${description} Changes nothing. Needs the scope ${neededFor(asks)}.${more}`,
    parameters: Schema.Struct(parameters),
    success: ToolAnswer,
    failure: ToolRefused,
    dependencies: [Asking]
  })
    .annotate(Tool.Title, title)
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)
    .annotate(Tool.Idempotent, true)
    .annotate(Tool.OpenWorld, false)
    .annotate(Tool.Strict, true)
}

/** The handler of a tool, which tells the request's log line that it is called. */
export const handler =
  <P, R>(name: string, run: (parameters: P) => Effect.Effect<ToolAnswer, ToolRefused, R>) =>
  (parameters: P): Effect.Effect<ToolAnswer, ToolRefused, R | Asking> =>
    Effect.flatMap(Asking, ({ called }) => {
      called(name)
      return run(parameters)
    })

export const ask = <A extends object>(question: Question): Effect.Effect<A, ToolRefused, Asking> =>
  Effect.flatMap(Asking, (asking) => asking.ask<A>(question))

export const get = <A extends object>(path: string, query?: Question["query"]) =>
  ask<A>({ method: "GET", path, ...(query === undefined ? undefined : { query }) })

/** The answer, or the refusal's message if the caller may not ask, or if there is nothing. */
export const ifAllowed = <A, R>(
  asking: Effect.Effect<A, ToolRefused, R>
): Effect.Effect<{ readonly found?: A; readonly missing?: string }, ToolRefused, R> => {
  const skipped: ReadonlyArray<ProblemCode> = ["forbidden", "not_found"]
  return Effect.map(asking, (found): { readonly found?: A; readonly missing?: string } => ({ found })).pipe(
    Effect.catch((refused) =>
      skipped.some((code) => code === refused.code)
        ? Effect.succeed({ missing: refused.message })
        : Effect.fail(refused)
    )
  )
}

export const optionally = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(schema).annotate({ description })

export const programId = Identifier.annotate({ description: "The programme's id; list_programs has them." })
export const memberId = Identifier.annotate({ description: "The guest's member id; find_guest finds it." })

export const upTo = (most: number) =>
  Schema.Int.check(
    Schema.makeFilter((value) => (value >= 1 && value <= most) || `must be a whole number from 1 to ${most}`, {
      toJsonSchema: () => ({ minimum: 1, maximum: most })
    })
  )
