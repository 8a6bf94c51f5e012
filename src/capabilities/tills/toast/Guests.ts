/** SEARCH and SIGNUP: guests by telephone number, e-mail address and name (contract/tills.md *Guests*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { hash } from "node:crypto"
import { storageUnavailable } from "../../../base/database/Pools.ts"
import { int8s, optional, rowsOf } from "../../../base/database/Values.ts"
import type { ConnectionSettings } from "../../../contract/admin/Connections.ts"
import { callingCodeOf, phoneIn } from "../../../contract/Phones.ts"
import type { Identity } from "../../../contract/protocol/Resources.ts"
import type { Refused } from "../../../contract/Refused.ts"
import * as ClaimKeys from "../../../core/account/ClaimKeys.ts"
import { available, unitOf } from "../../../core/account/domain/State.ts"
import { view } from "../../../core/account/domain/View.ts"
import type { Resident, Trouble } from "../../../core/account/Outcome.ts"
import { searchKey, searchOf } from "../../../core/journal/SearchKey.ts"
import type { Program } from "../../../core/rules/Program.ts"
import * as Bounds from "../connections/Bounds.ts"
import type { KnownConnection } from "../connections/KnownConnections.ts"
import { contextOf, isTrouble, type TillParts } from "../connections/TillParts.ts"
import type { Ended } from "../connections/Turns.ts"
import * as Replies from "./Replies.ts"
import type { AccountInfo, Transaction } from "./Wire.ts"

const { text } = PgTypes

type Search = Extract<Transaction, { type: "LOYALTY_SEARCH" }>["body"]
type Criteria = Search["searchTransactionInformation"]["searchCriteria"]
type SignUp = Extract<Transaction, { type: "LOYALTY_SIGNUP" }>["body"]

const filled = (value: string | undefined): string | undefined => {
  const trimmed = value?.trim() ?? ""
  return trimmed === "" ? undefined : trimmed
}

/** A telephone number and an e-mail address in the forms that are stored. */
interface Contact {
  /** E.164; undefined: none, or one that cannot be read. */
  readonly phone: string | undefined
  /** Lower case. */
  readonly email: string | undefined
}

const contactOf = (
  { email, phone }: { readonly email?: string | undefined; readonly phone?: string | undefined },
  { country }: ConnectionSettings
): Contact => ({
  phone: filled(phone) === undefined ? undefined : phoneIn(phone ?? "", callingCodeOf(country)),
  email: filled(email)?.toLowerCase()
})

const identitiesOf = ({ email, phone }: Contact): ReadonlyArray<Identity> => [
  ...(phone === undefined ? [] : [{ type: "phone_hash" as const, value: hash("sha256", phone) }]),
  ...(email === undefined ? [] : [{ type: "email_hash" as const, value: hash("sha256", email) }])
]

const numbers = rowsOf(Schema.Struct({ account: Schema.Number }))

/** Accounts by the profile's number or address. */
const byProfile = ({ query }: TillParts, program: string, { email, phone }: Contact) =>
  numbers(
    query(
      `SELECT account FROM profiles WHERE program_id = $1 AND email_key = $2
        UNION SELECT account FROM profiles WHERE program_id = $1 AND phone = $3 AND profile_terms(name_key, phone) @@ $4::tsquery
        LIMIT ${Bounds.found}`,
      [
        text(program),
        text(email === undefined ? null : searchKey(email)),
        text(phone ?? null),
        text(phone === undefined ? null : (searchOf(phone).profile ?? null))
      ]
    )
  )

/** Accounts by the words of a name, each by its beginning. */
const byName = ({ query }: TillParts, program: string, name: string) =>
  numbers(
    query(
      `SELECT account FROM profiles WHERE program_id = $1 AND profile_terms(name_key, phone) @@ $2::tsquery
        ORDER BY account LIMIT ${Bounds.found}`,
      [text(program), text(searchOf(name).profile ?? null)]
    )
  )

/** The accounts of a contact: by its hashes, and by profiles. */
const holdersOf = Effect.fnUntraced(function* (
  parts: TillParts,
  program: string,
  contact: Contact
): Effect.fn.Return<ReadonlyArray<number>, Refused> {
  if (contact.email === undefined && contact.phone === undefined) return []
  const own = yield* Effect.forEach(identitiesOf(contact), (identity) =>
    Effect.mapError(parts.findIdentity(ClaimKeys.identity(parts.claimKey, program, identity)), () => storageUnavailable)
  )
  const profiles = yield* byProfile(parts, program, contact)
  return [...new Set([...own.filter((one) => one !== undefined), ...profiles.map(({ account }) => account)])]
})

const Profile = Schema.Struct({
  account: Schema.Number,
  name: optional(Schema.String),
  phone: optional(Schema.String),
  email: optional(Schema.String)
})
const profileRows = rowsOf(Profile)

const profilesOf = ({ query }: TillParts, accounts: ReadonlyArray<number>) =>
  Effect.map(
    profileRows(
      query("SELECT account, display_name AS name, phone, email FROM profiles WHERE account = ANY ($1)", [
        int8s(accounts)
      ])
    ),
    (rows) => new Map(rows.map((row) => [row.account, row]))
  )

/** The first name and the rest of a name. */
const namesOf = (
  { member: { attributes } }: Resident,
  profile: typeof Profile.Type | undefined
): readonly [first: string | undefined, last: string | undefined] => {
  const of = (name: string): string | undefined => {
    const value = (attributes as Readonly<Record<string, unknown>> | undefined)?.[name]
    return typeof value === "string" ? filled(value) : undefined
  }
  const [first, ...rest] = profile?.name?.trim().split(/\s+/) ?? []
  return [filled(first) ?? of("first_name"), filled(rest.join(" ")) ?? of("last_name")]
}

const masked = (number: string): string => `${"*".repeat(Math.max(0, number.length - 2))}${number.slice(-2)}`

/** Personal data that the till may show. */
const told = (
  tells: ConnectionSettings["tells"],
  resident: Resident,
  profile: typeof Profile.Type | undefined
): Omit<AccountInfo, "identifier" | "pointsBalance"> => {
  if (tells === "none") return {}
  const [first, last] = namesOf(resident, profile)
  const whole = tells === "names"
  const { email, phone } = profile ?? {}
  return {
    ...(first === undefined ? undefined : { firstName: first }),
    ...(last === undefined ? undefined : { lastName: whole ? last : `${[...last][0]}.` }),
    ...(phone === undefined ? undefined : { phone: whole ? phone : masked(phone) }),
    ...(email === undefined || !whole ? undefined : { email })
  }
}

/** The points that a guest can spend now, as the till shows them. */
const balanceOf = ({ state }: Resident, program: Program, now: number): string =>
  String(available(unitOf(view(state, program, Math.max(now, state.at)), program.primaryUnit)))

/** A guest as the till shows it, without personal data. */
export const infoOf = (resident: Resident, program: Program, now: number): AccountInfo => ({
  identifier: resident.state.member,
  pointsBalance: balanceOf(resident, program, now)
})

/** The guests of some accounts; those that were closed or erased are left out. */
const guestsOf = Effect.fnUntraced(function* (parts: TillParts, accounts: ReadonlyArray<number>) {
  const found: Array<Resident> = []
  for (const account of accounts) {
    const resident = yield* parts.accounts.readOn(account)
    if (resident === undefined) continue
    if (resident._tag !== "Resident") return resident
    if (resident.state.status !== "closed" && !found.some((one) => one.account === resident.account))
      found.push(resident)
  }
  return found
})

const isTroubled = (found: ReadonlyArray<Resident> | Trouble): found is Trouble => "_tag" in found

/** The name that is searched for; undefined: it is off, or too short. */
const nameIn = ({ firstName, lastName }: Criteria, { search_by_name }: ConnectionSettings): string | undefined => {
  const name = [filled(firstName), filled(lastName)].filter((one) => one !== undefined).join(" ")
  return search_by_name && name.replaceAll(/\s/g, "").length >= Bounds.nameLetters ? name : undefined
}

/** Answers a search. `mayName`: false, if the restaurant has searched by name too often. */
export const search = Effect.fnUntraced(function* (
  parts: TillParts,
  { program: programId, settings }: KnownConnection,
  { searchTransactionInformation: { searchCriteria: criteria } }: Search,
  mayName: () => boolean
) {
  const program = parts.programs.get(programId)
  if (program === undefined) return Replies.again
  let accounts = yield* holdersOf(parts, programId, contactOf(criteria, settings))
  const name = accounts.length === 0 ? nameIn(criteria, settings) : undefined
  if (name !== undefined && mayName()) accounts = (yield* byName(parts, programId, name)).map(({ account }) => account)
  const guests = yield* guestsOf(parts, accounts)
  if (isTroubled(guests)) return Replies.again
  if (guests.length === 0) return Replies.nobody
  const profiles =
    settings.tells === "none"
      ? new Map<number, typeof Profile.Type>()
      : yield* profilesOf(
          parts,
          guests.map(({ account }) => account)
        )
  const now = parts.serviceNow()
  return Replies.accept({
    searchResponse: {
      accounts: guests.slice(0, Bounds.found).map((guest) => ({
        ...infoOf(guest, program, now),
        ...told(settings.tells, guest, profiles.get(guest.account))
      }))
    }
  })
})

/**
 * Enrols a guest once for the transaction; undefined: the till must ask again. The profile's number is looked for first: an
 * enrolment changes no profile, so that a repetition finds the same.
 */
export const signUp = Effect.fnUntraced(function* (
  parts: TillParts,
  connection: KnownConnection,
  id: string,
  { signupTransactionInformation: asked }: SignUp
): Effect.fn.Return<Ended | undefined, Refused> {
  const { program } = connection
  const contact = contactOf(asked, connection.settings)
  const [identity] = identitiesOf(contact)
  const registered = Replies.refused(Replies.refuse("ERROR_ALREADY_REGISTERED"), "A member has it already.")
  if (identity === undefined)
    return Replies.refused(Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"), "The telephone number cannot be read.")
  const known = yield* guestsOf(
    parts,
    (yield* byProfile(parts, program, contact)).map(({ account }) => account)
  )
  if (isTroubled(known)) return undefined
  if (known.length > 0) return registered
  const enrolled = yield* parts.handlers["member.enroll"](
    { context: contextOf(parts, connection, id, id), program_id: program, identity },
    connection.caller
  )
  if (isTrouble(enrolled)) return undefined
  if (enrolled._tag === "Refusal") return Replies.refused(Replies.refusedAs(enrolled), enrolled.detail)
  if (!enrolled.created) return registered
  const { member_id } = enrolled.body.member as { readonly member_id: string }
  return Replies.done(Replies.accept({ signupResponse: { loyaltyIdentifier: member_id } }))
})
