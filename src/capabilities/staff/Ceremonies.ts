/**
 * Ceremonies of browsers and authenticators that make and use passkeys (W3C Web Authentication), checked by
 * `@simplewebauthn/server`. Challenges lie in the database for all nodes, for 5 minutes, and each is deleted by its first use.
 */
import { PgTypes } from "@effect/sql-pg"
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { isObject } from "../../contract/Decode.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { digestOf } from "../../desk/access/Keys.ts"
import { networkOf } from "../../desk/access/WrongKeys.ts"
import * as Bounds from "./Bounds.ts"
import { CurrentSite, isOfSite } from "./Site.ts"

/** Purpose of a challenge. */
export type Purpose = "sign_in" | "passkey" | "invitation" | "provider"

/** The name that authenticators show for the service. */
const serviceName = "Lotbook"

/** Loaded at the first use: it would be a fifth of the start. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

const keepStatement = `WITH old AS (DELETE FROM challenges WHERE ends_at < $4 OR hash IN
    (SELECT hash FROM challenges WHERE network = $6 ORDER BY ends_at DESC OFFSET ${Bounds.maxChallenges - 1}))
  INSERT INTO challenges (hash, purpose, user_id, ends_at, network) VALUES ($1, $2, $3, $5, $6)`

/** Makes a challenge: 256 random bits, base64url. */
export const newChallenge = Effect.fnUntraced(function* (purpose: Purpose, userId?: string) {
  const { query } = yield* PeoplePool
  const { sourceIp = "" } = yield* CurrentCaller
  const now = yield* machineNow
  const challenge = randomBytes(32).toString("base64url")
  yield* query(keepStatement, [
    PgTypes.bytea(digestOf(challenge)),
    purpose,
    PgTypes.text(userId ?? null),
    int8(now),
    int8(now + Bounds.challengeMs),
    networkOf(sourceIp)
  ])
  return challenge
})

const challenges = rowsOf(
  Schema.Struct({ purpose: Schema.String, userId: Schema.NullOr(Schema.String), endsAt: Schema.Number })
)

const takeStatement = `DELETE FROM challenges WHERE hash = $1
  RETURNING purpose, user_id AS "userId", ends_at AS "endsAt"`

/** Uses a challenge up, whatever comes of it. False: it was used, is over, or is for something else. */
export const takeChallenge = Effect.fnUntraced(function* (challenge: string, purpose: Purpose, userId?: string) {
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  const [found] = yield* challenges(query(takeStatement, [PgTypes.bytea(digestOf(challenge))]))
  return found !== undefined && found.purpose === purpose && found.userId === (userId ?? null) && now < found.endsAt
})

const bytesOf = (challenge: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(challenge, "base64url"))

/** Data that the browser says it has signed. */
const ClientData = Schema.fromJsonString(Schema.Struct({ challenge: Schema.String, origin: Schema.String }))
const decodeClientData = Schema.decodeUnknownOption(ClientData)

const clientDataOf = (credential: unknown) => {
  const response = isObject(credential) ? credential["response"] : undefined
  const data = isObject(response) ? response["clientDataJSON"] : undefined
  if (typeof data !== "string") return undefined
  return Option.getOrUndefined(decodeClientData(Buffer.from(data, "base64url").toString()))
}

/** First checks of both ceremonies. Undefined: the answer is not for this site, or not for now. */
const expected = Effect.fnUntraced(function* (credential: unknown, purpose: Purpose, userId: string | undefined) {
  const site = yield* CurrentSite
  const data = clientDataOf(credential)
  if (data === undefined || !(yield* takeChallenge(data.challenge, purpose, userId))) return undefined
  if (!isOfSite(site, data.origin)) return undefined
  return { expectedChallenge: data.challenge, expectedOrigin: data.origin, expectedRPID: site.host }
})

interface Person {
  readonly userId: string
  readonly email: string
  readonly name: string
}

/** The options to make a passkey: discoverable, with the person verified by the authenticator. */
export const registration = Effect.fnUntraced(function* (
  purpose: "passkey" | "invitation",
  { email, name, userId }: Person,
  known: ReadonlyArray<string>
) {
  const { host } = yield* CurrentSite
  const challenge = bytesOf(yield* newChallenge(purpose, userId))
  const { generateRegistrationOptions } = yield* library
  return yield* Effect.promise(() =>
    generateRegistrationOptions({
      rpName: serviceName,
      rpID: host,
      userID: Uint8Array.from(Buffer.from(userId)),
      userName: email,
      userDisplayName: name,
      challenge,
      timeout: Bounds.challengeMs,
      attestationType: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: known.map((id) => ({ id }))
    })
  )
})

/** The options to sign in with any passkey of this site. */
export const authentication = Effect.gen(function* () {
  const { host } = yield* CurrentSite
  const challenge = bytesOf(yield* newChallenge("sign_in"))
  const { generateAuthenticationOptions } = yield* library
  return yield* Effect.promise(() =>
    generateAuthenticationOptions({
      rpID: host,
      challenge,
      timeout: Bounds.challengeMs,
      userVerification: "required"
    })
  )
})

/** A passkey that was made just now. */
export interface Made {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: ReadonlyArray<string>
  readonly host: string
}

/** The passkey of a browser's answer; undefined: the answer is no proof of one. */
export const made = Effect.fnUntraced(function* (
  credential: unknown,
  purpose: "passkey" | "invitation",
  userId: string
) {
  const expectations = yield* expected(credential, purpose, userId)
  if (expectations === undefined) return undefined
  const { verifyRegistrationResponse } = yield* library
  const verified = yield* proven(() =>
    verifyRegistrationResponse({
      ...expectations,
      // The library checks its shape.
      response: credential as RegistrationResponseJSON,
      requireUserVerification: true
    })
  )
  if (verified?.verified !== true) return undefined
  const { id, counter, publicKey, transports } = verified.registrationInfo.credential
  const passkey: Made = {
    credentialId: id,
    publicKey,
    counter,
    transports: transports ?? [],
    host: expectations.expectedRPID
  }
  return passkey
})

/** Result of the library; undefined: it refuses. It fails for every fault, and the answer tells none of them. */
const proven = <A>(check: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.catch(Effect.tryPromise(check), (error) =>
    Effect.as(Effect.logDebug("A passkey was refused", error), undefined)
  )

const PasskeyRow = Schema.Struct({
  passkeyId: Schema.String,
  userId: Schema.String,
  publicKey: Schema.Uint8Array,
  counter: Schema.Number
})
const passkeys = rowsOf(PasskeyRow)

const passkeyStatement = `SELECT passkey_id AS "passkeyId", user_id AS "userId", public_key AS "publicKey", counter
  FROM passkeys WHERE credential_id = $1 AND host = $2`

/** Takes a counter that is higher than the stored one, or 0 from an authenticator that counts nothing. */
const countStatement = `UPDATE passkeys SET counter = $2, last_used_at = $3
  WHERE passkey_id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING 1 AS one`

/** The passkey that signed; `unknown`: this service has no such passkey; undefined: the answer proves nothing. */
export const signedBy = Effect.fnUntraced(function* (credential: unknown) {
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  const expectations = yield* expected(credential, "sign_in", undefined)
  const id = isObject(credential) ? credential["id"] : undefined
  if (expectations === undefined || typeof id !== "string") return undefined
  const [passkey] = yield* passkeys(query(passkeyStatement, [id, expectations.expectedRPID]))
  if (passkey === undefined) return "unknown"
  const { counter, passkeyId, publicKey, userId } = passkey
  const { verifyAuthenticationResponse } = yield* library
  const verified = yield* proven(() =>
    verifyAuthenticationResponse({
      ...expectations,
      // As above.
      response: credential as AuthenticationResponseJSON,
      requireUserVerification: true,
      credential: { id, publicKey: Uint8Array.from(publicKey), counter }
    })
  )
  if (verified?.verified !== true) return undefined
  const counted = yield* query(countStatement, [passkeyId, int8(verified.authenticationInfo.newCounter), int8(now)])
  return counted.length === 0 ? undefined : { passkeyId, userId }
})
