/** People with passkeys, for tests: invited by the admin key, each with an authenticator of its own. */
import { Effect } from "effect"
import type { Role } from "../../../src/contract/Roles.ts"
import * as Operators from "../operators/Operators.ts"
import { Authenticator, type Lie } from "./Authenticator.ts"

const { post, root } = Operators
const nobody = { authorization: "" }

export interface User {
  readonly user_id: string
  readonly email: string
  readonly role: string
  readonly status: string
  readonly passkeys: ReadonlyArray<{ readonly passkey_id: string; readonly name: string }>
  readonly programs?: ReadonlyArray<string>
  readonly invitation_ends_at?: string
  readonly role_gone_at?: string
  readonly language?: string
}

/** Result of an invitation, without the page. */
export const secretOf = (url: unknown): string => String(url).split("#")[1] ?? ""

export const invite = (email: string, role: Role, more: object = {}, headers: Record<string, string> = root) =>
  Effect.map(post("/staff", { email, name: email.split("@")[0], role, ...more }, headers), ({ body, status }) => ({
    status,
    body,
    user: body["user"] as User,
    secret: secretOf(body["invitation_url"])
  }))

const sessionOf = ({ body, headers, status }: Effect.Success<ReturnType<typeof post>>) => ({
  status,
  body,
  session: {
    cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "",
    csrf: String(body["csrf_token"])
  } satisfies Operators.SignedIn
})

interface WithOptions {
  readonly challenge: string
}

/** Makes a passkey by an invitation, and signs in. */
export const accept = (secret: string, authenticator: Authenticator, lie: Lie = {}, more: object = {}) =>
  Effect.gen(function* () {
    const shown = yield* post("/staff/invitation", { invitation: secret }, nobody)
    if (shown.status !== 200) return sessionOf(shown)
    const credential = authenticator.make(shown.body["options"] as WithOptions, lie)
    return sessionOf(
      yield* post("/staff/invitation/accept", { invitation: secret, name: "Laptop", credential, ...more }, nobody)
    )
  })

/** Options of a sign-in. */
export const asked = Effect.map(
  post("/session/passkey/options", undefined, nobody),
  ({ body }) => body["options"] as WithOptions
)

export const signIn = (authenticator: Authenticator, lie: Lie = {}) =>
  Effect.gen(function* () {
    const options = yield* asked
    authenticator.counter++
    return yield* send(authenticator.sign(options, lie))
  })

/** Sends an authenticator's answer. */
export const send = (credential: object) => Effect.map(post("/session/passkey", { credential }, nobody), sessionOf)

let people = 0

/** A user of a role who has signed in. */
export const person = (
  role: Role,
  more: { readonly programs?: ReadonlyArray<string>; readonly franchisee_ids?: ReadonlyArray<string> } = {}
) =>
  Effect.gen(function* () {
    const authenticator = new Authenticator()
    const invited = yield* invite(`${role}-${people++}@example.com`, role, more)
    const { session } = yield* accept(invited.secret, authenticator)
    return { user: invited.user, authenticator, session, page: Operators.page(session) }
  })
