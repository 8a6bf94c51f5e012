/** Imports and the audiences of active campaigns (contract/engagement.md *Changes of an active audience*). */
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import type { ImportRow } from "../../contract/platform/Imports.ts"
import type { Refused } from "../../contract/Refused.ts"
import { mayGive } from "../../contract/Scopes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import { mayHoldNewcomers } from "../segments/Newcomers.ts"
import * as Pinned from "../segments/Pinned.ts"
import * as Reached from "../segments/Reached.ts"
import type { Condition } from "../segments/Rules.ts"
import { conditionsOf } from "../segments/Rules.ts"

/** The field of a row that a condition reads; undefined: none. */
const readBy = (condition: Condition): string | undefined => {
  switch (condition.type) {
    case "attribute":
      return `attributes/${condition.name}`
    case "has":
      return condition.field
    case "birthday":
      return "birth_date"
    case "consent":
      return "consent"
    default:
      return undefined
  }
}

/** The fields that a row gives a guest. */
const fieldsOf = ({ attributes, birth_date, consent, email, phone }: ImportRow): ReadonlyArray<string> => {
  const isGiven =
    consent !== undefined && ("marketing" in consent ? consent.marketing : consent.some((one) => one.granted))
  return [
    ...Object.keys(attributes ?? {}).map((name) => `attributes/${name}`),
    ...Object.entries({ birth_date, email, phone }).flatMap(([name, value]) => (value == null ? [] : [name])),
    ...(isGiven ? ["consent"] : [])
  ]
}

/**
 * Refuses an import that an active campaign answers, or whose guests or their fields come into the audience of one, from
 * a caller who may not give.
 */
export const mustReachNobody = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  rows: ReadonlyArray<ImportRow>,
  now: number
): Effect.fn.Return<void, Refused, CurrentCaller> {
  if (mayGive((yield* CurrentCaller).scopes, "platform")) return
  const [started] = yield* Reached.startedByImports(query, program.id, now)
  if (started !== undefined) yield* mustGive("platform", `The active campaign ${started.id} counts imports: each`)
  const fields = rows.flatMap(fieldsOf)
  if (fields.includes("attributes/referred_by")) {
    const [referral] = yield* Reached.givingToReferrers(query, program.id, now)
    if (referral !== undefined)
      yield* mustGive("platform", `The attribute referred_by, for which ${referral.id} gives,`)
  }
  for (const { audience, one } of yield* Pinned.audiencesOf(query, program, now)) {
    // Joining triggers nothing but what was asked above.
    if (!one.isTriggered && mayHoldNewcomers(audience))
      yield* mustGive("platform", `The campaign ${one.id} reaches guests who have only joined: each import`)
    const rules = [...audience.named.values()].filter((rule) => rule !== undefined)
    const read = new Set(rules.flatMap(conditionsOf).map(readBy))
    const field = fields.find((name) => read.has(name))
    if (field !== undefined) yield* mustGive("platform", `The field ${field}, for which the campaign ${one.id} asks,`)
  }
})
