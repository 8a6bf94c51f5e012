/** A guest joins by the page: a member with a profile, consents and a card (contract/guests.md *Joining*). */
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import type { ServiceTime } from "../../base/time/Times.ts"
import { consentTextVersion } from "../../contract/guest/ConsentText.ts"
import type { Join } from "../../contract/guest/SignIn.ts"
import type { ProfileFacts } from "../../contract/platform/Members.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import { auditChanges, consentsOf, fieldsOf, timeFaults } from "../members/ProfileChange.ts"
import type * as Profiles from "../members/Profiles.ts"
import type { Contact } from "./Contact.ts"

interface Parts {
  readonly accounts: Accounts["Service"]
  readonly claimKey: ClaimKey
  readonly time: ServiceTime
}

/** A card's number: 16 random digits, so that nobody guesses another guest's. */
const cardNumber = (): string => Array.from({ length: 16 }, () => randomInt(10)).join("")

const factsOf = ({ birthday, consents, name, text_version = consentTextVersion }: Join): ProfileFacts => ({
  ...(name === undefined ? undefined : { display_name: name }),
  ...(birthday === undefined ? undefined : { birth_date: birthday }),
  consent: consents.map((one) => ({ ...one, source: `guest_page ${text_version}` }))
})

/** Refuses what a guest cannot have entered in truth. `at`: the place of the facts in the body. */
export const check = (
  { time }: Pick<Parts, "time">,
  join: Join | undefined,
  at: string
): Effect.Effect<void, Refused> => {
  if (join?.birthday === undefined) return Effect.void
  const faults = timeFaults({ birth_date: join.birthday }, time.now())
  return faults.length === 0
    ? Effect.void
    : refuseFaults(faults.map(({ message }) => ({ path: `${at}/birthday`, message })))
}

/** A person who joins is a guest, though nobody is signed in yet. */
const guestCaller = Effect.map(CurrentCaller, (caller) => ({ ...caller, kind: "guest" as const, name: "guest" }))

interface Joins {
  /** The id of the request whose code was right. It joins once, also while an enrolment of before is in doubt. */
  readonly request: string
  readonly contact: Contact
  readonly join: Join
}

/** Enrols the guest: the number of the account. */
export const enrol = Effect.fnUntraced(function* (
  { accounts, claimKey, time }: Parts,
  program: Program,
  { contact, join, request }: Joins
): Effect.fn.Return<number, Refused, CurrentCaller> {
  const facts = { ...factsOf(join), [contact.kind]: contact.address }
  const caller = yield* guestCaller
  const fields = fieldsOf(facts, undefined)
  const consents = consentsOf(facts, [], time.now())
  const attributes = join.at === undefined ? undefined : { join_location: join.at }
  const changes = auditChanges({ attributes, consents, fields }, [])
  const entryOf = yield* Effect.provideService(Audit.maker, CurrentCaller, caller)
  const outcome = yield* accounts.enroll({
    program: program.id,
    identity: { type: "loyalty_id", value: cardNumber() },
    via: "guest",
    attributes,
    key: {
      key: claimKey("guest join", program.id, request),
      fingerprint: claimKey("guest join", program.id, contact.address)
    },
    profile: { type: "set", fields, consents },
    actor: "guest",
    origin: caller.requestId,
    audit: (id) => entryOf({ action: "member.enroll", subject: { type: "member", id }, programId: program.id, changes })
  })
  if (outcome._tag !== "Answered") return yield* refusedBy(outcome)
  const { reply } = outcome.record
  // Somebody has the number: one of 10^16.
  if (reply.type !== "member" || !reply.created) throw new Error("the number of a new card belongs to a member")
  return outcome.record.account
})

/** Consents that were given now, to purposes on which nothing was decided before. */
const newConsents = ({ consents }: Join, before: ReadonlyArray<{ readonly purpose: string }>) =>
  consents.filter(({ granted, purpose }) => granted && !before.some((known) => known.purpose === purpose))

/**
 * Adds what a guest has entered to join who had an account: where it has nothing. Doing it again changes nothing. A guest or
 * programme that may not be changed keeps the account as it is.
 */
export const add = Effect.fnUntraced(function* (
  { profiles }: { readonly profiles: Effect.Success<ReturnType<typeof Profiles.make>> },
  program: Program,
  { account, join, member }: { readonly account: number; readonly member: string; readonly join: Join }
) {
  const before = yield* profiles.show(account)
  const { birthday, consents: _, name, ...more } = join
  const missing: Join = {
    ...more,
    ...(before.display_name === undefined && name !== undefined ? { name } : undefined),
    ...(before.birth_date === undefined && birthday !== undefined ? { birthday } : undefined),
    consents: newConsents(join, before.consents)
  }
  const { consent = [], ...fields } = factsOf(missing)
  if (Object.keys(fields).length === 0 && missing.consents.length === 0) return
  const caller = yield* guestCaller
  const audit = yield* Effect.provideService(Audit.maker, CurrentCaller, caller)
  const change = { via: "guest", actor: "guest", origin: caller.requestId, audit } as const
  yield* Effect.catch(profiles.upsert(program, { member_id: member, ...fields, consent }, change), ({ detail }) =>
    Effect.logDebug(`Facts of a guest who had an account are not added: ${detail}`)
  )
})
