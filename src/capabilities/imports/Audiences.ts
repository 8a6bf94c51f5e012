/** Imports and the audiences of active campaigns (contract/engagement.md *Changes of an active audience*). */
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import type { ImportRow } from "../../contract/platform/Imports.ts"
import type { Refused } from "../../contract/Refused.ts"
import { roles, scopesOf } from "../../contract/Roles.ts"
import { said } from "../../contract/Said.ts"
import { mayGive } from "../../contract/Scopes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
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

/** The roles that may import what campaigns give for. The console has words for the list. */
export const givingRoles = roles
  .filter((role) => mayGive(scopesOf(role), "platform") && scopesOf(role).has("audience:write"))
  .join(", ")

const fieldWords: Readonly<Record<string, string>> = {
  birth_date: "the date of birth",
  consent: "the consent",
  email: "the e-mail address",
  phone: "the telephone number"
}

type Refusal = Effect.Effect<void, Refused, CurrentCaller>

const isPerson = Effect.map(CurrentCaller, ({ kind }) => kind === "user")

/** Refuses because a campaign gives to guests who come by imports. People read who may, and keys the scope that they lack. */
const refuseGuests = (name: string): Refusal =>
  Effect.flatMap(isPerson, (isPerson) =>
    isPerson
      ? refuse(
          "forbidden",
          said`The campaign ${name} gives points or rewards to guests who are imported. These roles may import them: ${givingRoles}.`
        )
      : mustGive("platform", `The campaign ${name} reaches guests who are imported: each import`)
  )

/** The same because of a field that rows give guests. */
const refuseField = (name: string, field: string): Refusal =>
  Effect.flatMap(isPerson, (isPerson) => {
    if (!isPerson) return mustGive("platform", `The field ${field}, for which the campaign ${name} asks,`)
    const words = fieldWords[field]
    return words === undefined
      ? refuse(
          "forbidden",
          said`The campaign ${name} gives points or rewards by the attribute ${field.slice(field.indexOf("/") + 1)}, which the import sets. These roles may import it: ${givingRoles}.`
        )
      : refuse(
          "forbidden",
          said`The campaign ${name} gives points or rewards by ${words}, which the import sets. These roles may import it: ${givingRoles}.`
        )
  })

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
  if (started !== undefined) yield* refuseGuests(started.name)
  const fields = rows.flatMap(fieldsOf)
  if (fields.includes("attributes/referred_by")) {
    const [referral] = yield* Reached.givingToReferrers(query, program.id, now)
    if (referral !== undefined) yield* refuseField(referral.name, "attributes/referred_by")
  }
  for (const { audience, one } of yield* Pinned.audiencesOf(query, program, now)) {
    // Joining triggers nothing but what was asked above.
    if (!one.isTriggered && mayHoldNewcomers(audience)) yield* refuseGuests(one.name)
    const rules = [...audience.named.values()].filter((rule) => rule !== undefined)
    const read = new Set(rules.flatMap(conditionsOf).map(readBy))
    const field = fields.find((name) => read.has(name))
    if (field !== undefined) yield* refuseField(one.name, field)
  }
})
