/** A guest changes name, birthday, language and consents (contract/guests.md *Changing the profile*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8 } from "../../base/database/Values.ts"
import { consentTextVersion } from "../../contract/guest/ConsentText.ts"
import type { GuestMember, ProfileByGuest } from "../../contract/guest/Shown.ts"
import type { ProfileFacts } from "../../contract/platform/Members.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Me from "./Me.ts"
import { type Parts, see, type Who } from "./Parts.ts"

/** Where the guest decided, with the version of the text that she read. */
const sourceOf = (textVersion: string): string => `guest_page ${textVersion}`

const isSpoken = (language: string, { file }: Program): boolean => {
  const languages: ReadonlyArray<string> = file.guest_page?.languages ?? []
  return languages.includes(language)
}

const factsOf = (
  { birthday, consents, name, text_version = consentTextVersion }: ProfileByGuest,
  member_id: string
): ProfileFacts => ({
  member_id,
  ...(name === undefined ? undefined : { display_name: name }),
  ...(birthday === undefined ? undefined : { birth_date: birthday }),
  ...(consents === undefined
    ? undefined
    : { consent: consents.map((one) => ({ ...one, source: sourceOf(text_version) })) })
})

const putLanguage = (query: Query, account: number, language: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `INSERT INTO guest_settings (account, language) VALUES ($1, $2)
        ON CONFLICT (account) DO UPDATE SET language = excluded.language`,
      [int8(account), PgTypes.text(language)]
    )
  )

/** Changes the guest's profile. Of the language alone no record is written, as nothing of the ledger's members changes. */
export const change = Effect.fnUntraced(function* (
  parts: Parts,
  who: Who,
  asked: ProfileByGuest
): Effect.fn.Return<GuestMember, Refused, CurrentCaller> {
  const { memberId, program } = who
  const { language = who.language } = asked
  if (language !== who.language && !isSpoken(language, program))
    return yield* refuseFaults([{ path: "/language", message: "must be a language of the page" }])
  const before = yield* see(parts, who)
  const { name, requestId } = yield* CurrentCaller
  const { birthday, consents, name: called } = asked
  if (birthday !== undefined || consents !== undefined || called !== undefined) {
    yield* parts.profiles.upsert(program, factsOf(asked, memberId), {
      via: "guest",
      actor: name,
      origin: requestId,
      audit: yield* Audit.maker
    })
  } else if (before.state.status !== "active")
    return yield* refuse("member_not_active", said`Member ${memberId} is ${before.state.status}.`)
  if (language !== who.language) yield* putLanguage(parts.people.query, before.resident.account, language)
  return yield* Me.member(parts, yield* see(parts, who), language)
})
