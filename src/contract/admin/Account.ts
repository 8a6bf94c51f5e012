/** A person's own account: sessions and passkeys (contract/people.md *Own account*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { Language } from "../Languages.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, storageProblems } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FreeJson, field, Identifier, optional, Text, Timestamp, whole } from "../Values.ts"
import { annotated } from "./Endpoint.ts"
import { GivingLimits } from "./GivingLimits.ts"
import { EndedSessions, exampleUser, Passkey, PrintableName, staffPath, User } from "./Staff.ts"

const mePath = `${staffPath}/me` as const

export const OwnSession = Schema.Struct({
  session_id: field(Identifier, "Names the session. It is not secret."),
  device: field(Text, "The browser and system that opened it, as they call themselves."),
  address: field(Text, "The address that it was opened from."),
  began_at: field(Timestamp, "When it was opened."),
  last_seen_at: field(Timestamp, "When it was used last, to within about ten seconds."),
  is_this: field(Schema.Boolean, "True for the session of this request.")
}).annotate({ identifier: "OwnSession" })

const SessionEnd = Schema.Struct({
  session_id: optional(Identifier, "The session to end; absent: all but the session of this request.")
}).annotate({ identifier: "SessionEnd" })

/** Argument of the browser's `navigator.credentials`, as `@simplewebauthn/browser` takes it. */
export const Ceremony = Schema.Struct({
  options: field(
    FreeJson,
    "The options for the browser (W3C Web Authentication), as JSON. They hold for 5 minutes, once."
  )
}).annotate({ identifier: "Ceremony" })

/** Answer of the authenticator. */
export const Credential = field(FreeJson, "The browser's answer to the options (W3C Web Authentication), as JSON.")

const NewPasskey = Schema.Struct({
  name: field(PrintableName, "A name for it, such as the device that keeps it."),
  credential: Credential
}).annotate({ identifier: "NewPasskey" })

const PasskeyName = Schema.Struct({ name: NewPasskey.fields.name }).annotate({ identifier: "PasskeyName" })

const ChosenLanguage = Schema.Struct({
  language: field(Language, "The language of the console, on every device, and of mails to the person.")
}).annotate({ identifier: "ChosenLanguage" })

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number")

const GivenToday = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  points: field(Count, "Points given and taken away, of all units."),
  rewards: field(Count, "Rewards given and taken away."),
  orders_moved: field(Count, "Orders moved.")
}).annotate({ identifier: "GivenToday" })

const OwnAccount = Schema.Struct({
  ...User.fields,
  limits: optional(
    GivingLimits,
    "What the user may give: of each of the role's limits and the person's own the lesser; absent: no limits."
  ),
  given_today: optional(
    Schema.Array(GivenToday),
    "With `limits`: what counts of today, for each programme in which something does."
  )
}).annotate({ identifier: "OwnAccount" })

const OwnSessions = Schema.Struct({
  sessions: field(Schema.Array(OwnSession), "The sessions that are open, newest first.")
}).annotate({ identifier: "OwnSessions" })

const reads: ReadonlyArray<ProblemCode> = [
  "unauthorized",
  "forbidden",
  ...storageProblems,
  "validation_failed",
  "internal_error"
]
const changes: ReadonlyArray<ProblemCode> = [...new Set([...reads, ...bodyProblems, "csrf_failed" as const])]
const bodiless: ReadonlyArray<ProblemCode> = [...reads, "csrf_failed"]

const isServed = { isServedFrozen: true }

export class Account extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("showOwnAccount", mePath, { success: OwnAccount, error: problems(reads) }).annotateMerge(
      annotated(
        "staff.own",
        "Show the own account",
        "`forbidden` for a session that a key opened.",
        reads,
        {
          response: {
            ...exampleUser,
            limits: { points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10 }
          }
        },
        true
      )
    ),
    HttpApiEndpoint.post("chooseOwnLanguage", `${mePath}/language`, {
      payload: ChosenLanguage,
      success: User,
      error: problems(changes)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("staff.language", "Choose the own language", "The console follows on every device.", changes, {
          request: { language: "de" },
          response: { ...exampleUser, language: "de" }
        })
      ),
    HttpApiEndpoint.get("listOwnSessions", `${mePath}/sessions`, {
      success: OwnSessions,
      error: problems(reads)
    }).annotateMerge(
      annotated(
        "staff.own_sessions",
        "List the own sessions",
        "On every device.",
        reads,
        {
          response: {
            sessions: [
              {
                session_id: "0c1d2e3f40516273",
                device: "Firefox on Windows",
                address: "127.0.0.1",
                began_at: "2026-07-14T10:06:00.000Z",
                last_seen_at: "2026-07-14T10:16:00.000Z",
                is_this: true
              }
            ]
          }
        },
        true
      )
    ),
    HttpApiEndpoint.post("endOwnSessions", `${mePath}/sessions/end`, {
      payload: SessionEnd,
      success: EndedSessions,
      error: problems(changes)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("staff.end_own_sessions", "End own sessions", "They end within a second.", changes, {
          request: { session_id: "0c1d2e3f40516273" },
          response: { ended: 1 }
        })
      ),
    HttpApiEndpoint.post("newPasskeyOptions", `${mePath}/passkeys/options`, {
      success: Ceremony,
      error: problems(bodiless)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("passkey.options", "Begin to make a passkey", "Sends what the browser needs.", bodiless, {
          response: { options: {} }
        })
      ),
    HttpApiEndpoint.post("addPasskey", `${mePath}/passkeys`, {
      payload: NewPasskey,
      success: User.pipe(HttpApiSchema.status(201)),
      error: problems([...changes, "conflict"])
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("passkey.add", "Add a passkey", "It signs in from now on.", [...changes, "conflict"], {
          request: { name: "Till at West", credential: {} },
          response: exampleUser
        })
      ),
    HttpApiEndpoint.post("renamePasskey", `${mePath}/passkeys/:passkey_id/rename`, {
      params: { passkey_id: Passkey.fields.passkey_id },
      payload: PasskeyName,
      success: User,
      error: problems([...changes, "not_found"])
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("passkey.rename", "Rename a passkey", "It signs in as before.", [...changes, "not_found"], {
          params: { passkey_id: "pk_4T0ZB9HD3W7Q2MXK" },
          request: { name: "Till at West" },
          response: exampleUser
        })
      ),
    HttpApiEndpoint.post("removePasskey", `${mePath}/passkeys/:passkey_id/remove`, {
      params: { passkey_id: Passkey.fields.passkey_id },
      success: User,
      error: problems([...bodiless, "not_found", "invalid_state"])
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "passkey.remove",
          "Remove a passkey",
          "Sessions that it opened end within a second. The last one stays: `invalid_state`.",
          [...bodiless, "not_found", "invalid_state"],
          { params: { passkey_id: "pk_4T0ZB9HD3W7Q2MXK" }, response: exampleUser }
        )
      )
  )
  .annotate(AuthOf, "session")
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Own account", description: "A person's own sessions and passkeys." })) {}
