/** The language that a person has chosen for the console and for mails (contract/people.md *Own account*). */
import { Effect, Schema } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { optional, rowsOf } from "../../base/database/Values.ts"
import { Language } from "../../contract/Languages.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Users from "./Users.ts"

const languageOf = rowsOf(Schema.Struct({ language: optional(Language) }))

/** The language that a user has chosen. Undefined: none, or the database does not answer. */
export const chosen = (pool: Pool, userId: string): Effect.Effect<Language | undefined> =>
  languageOf(pool.query("SELECT language FROM users WHERE user_id = $1", [userId])).pipe(
    Effect.map(([row]) => row?.language),
    Effect.orElseSucceed(() => undefined)
  )

/** Keeps a user's language in the open transaction, with its entry in the audit. */
export const keep = Effect.fnUntraced(function* (userId: string, language: Language) {
  const { query } = yield* PeoplePool
  yield* query("UPDATE users SET language = $2 WHERE user_id = $1", [userId, language])
  const changes = { after: { language } }
  yield* Audit.tell(query, { action: "staff.language", subject: Users.subjectOf(userId), changes })
})

/** Keeps the language that a user has chosen. */
export const choose = Effect.fnUntraced(function* (userId: string, language: Language) {
  const { transaction } = yield* PeoplePool
  return yield* transaction(
    Effect.gen(function* () {
      const before = yield* Users.locked(userId)
      if (before.language === language) return before
      yield* keep(userId, language)
      return yield* Users.shown(userId)
    })
  )
})
