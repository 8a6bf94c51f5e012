/** A browser of a guest at the page of the demo programme, for tests. */
import { Effect, Layer, Redacted, Schema } from "effect"
import { hash } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Mail from "../../../src/capabilities/mail/Mail.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as Sealed from "../../../src/desk/surface/Sealed.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

export const program_id = Testing.demoProgram.id
const page = `/my/api/v1/${program_id}`

/** A programme without a page. */
const { guest_page: _, ...plain } = Testing.demoProgram.file
const pageless = { ...Testing.demoProgram, id: "pageless", file: { ...plain, program_id: "pageless" } }

const page5 = { ...Testing.demoProgram.file.guest_page!, codes_per_day: 5 }
/** A programme that may send five codes a day to telephones in Germany, and a rehearsal of it. */
const german = {
  ...Testing.demoProgram,
  id: "german",
  file: { ...Testing.demoProgram.file, program_id: "german", country: "DE", guest_page: page5 }
}
const rehearsed = { ...german, id: "rehearsed", isRehearsal: true, file: { ...german.file, program_id: "rehearsed" } }

export const rootKey = "proto-dev-admin-key"
/** A token that may do everything that tokens may. */
const everything = {
  token_sha256: hash("sha256", "everything"),
  scopes: ["protocol:read", "protocol:write", "platform:read", "platform:write", "points:give"] as const
}
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Statements of the surfaces since a test has emptied it. */
export const statements: Array<string> = []

const counting = Layer.effect(
  Pools.PeoplePool,
  Effect.map(Pools.PeoplePool, (pool) => ({
    ...pool,
    query: (statement: string, parameters?: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        statements.push(statement)
        return pool.query(statement, parameters)
      })
  }))
)
const pools = Layer.provideMerge(counting, Pools.layer)

const served = TestServer.layer(
  PgJournal.layer,
  [everything],
  undefined,
  [Testing.demoProgram, pageless, german, rehearsed],
  pools
)

/** A service that puts mails into its database, and sends none. */
const mail = { url: Redacted.make("smtp://localhost"), from: "points@example.com" }
const serving = Layer.provide(served, Layer.succeed(Mail.CurrentMail, mail))
export const layer = Layer.provideMerge(serving, TestDatabase.layer)
/** A service without a mail server. */
export const mailless = Layer.provideMerge(served, TestDatabase.layer)

/** Two services on the database. */
export const two = Effect.gen(function* () {
  return [yield* Layer.build(Layer.fresh(serving)), yield* Layer.build(Layer.fresh(serving))] as const
})

export interface Browser {
  readonly cookie: string
  readonly csrf: string
}

/** A request of somebody who is not signed in. */
export const asked = (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  base: string = page
) => TestServer.send(`${base}${path}`, body, { method, headers: { authorization: "", ...headers } })

/** A request of a guest, as the page sends it. */
export const send = ({ cookie, csrf }: Browser, method: string, path: string, body?: object) =>
  asked(method, path, body, { cookie, ...(method === "GET" ? undefined : { "x-csrf-token": csrf }) })

/** The cookie and the token of an answer that has signed somebody in. */
export const browserOf = ({ body, headers }: TestServer.Response): Browser => ({
  cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  csrf: String((body["session"] as { readonly csrf_token?: string } | undefined)?.csrf_token)
})

export const tokenOf = ({ body }: TestServer.Response): string => String(body["sign_in_url"]).split("#link=")[1] ?? ""

/** Makes a link for a guest. */
export const link = (member_id: string, headers: Record<string, string> = bearer("everything")) =>
  TestServer.send("/platform/v1/members/sign-in-link", { program_id, member_id }, { headers })

export const spend = (token: string) => asked("POST", "/sign-in/link", { token })

/** A guest who has signed in by a link. */
export const signedIn = (member_id: string) =>
  Effect.map(
    Effect.flatMap(link(member_id), (made) => spend(tokenOf(made))),
    browserOf
  )

/** The mails to an address that wait, the oldest first, as they are to be sent. */
export const mailsTo = (address: string) =>
  Effect.gen(function* () {
    const { claimKey } = yield* Journal
    const rows = yield* TestDatabase.query(
      "SELECT mail_id::text AS id, kind, sealed FROM mails ORDER BY created_at, mail_id"
    )
    return rows
      .map(({ id, kind, sealed }) => ({
        kind: String(kind),
        ...Schema.decodeSync(Mail.Body)(Sealed.open(claimKey, String(id), Buffer.from(sealed as Uint8Array)))
      }))
      .filter(({ to }) => to === address)
  })

/** Asks for a code, and returns what is needed to enter it. The mails of before are gone. */
export const codeAsked = (email: string, more: object = {}) =>
  Effect.gen(function* () {
    yield* TestDatabase.query("DELETE FROM mails")
    const { body, status } = yield* asked("POST", "/sign-in", { email, ...more })
    if (status !== 202) throw new Error(`no code was asked for: ${JSON.stringify(body)}`)
    const [mail] = yield* mailsTo(email.toLowerCase())
    return { request_id: String(body["request_id"]), code: mail?.code ?? "no mail" }
  })
