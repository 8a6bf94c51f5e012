/** A browser of a guest at the page of the demo programme, for tests. */
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

export const program_id = Testing.demoProgram.id
const page = `/my/api/v1/${program_id}`

/** A programme without a page. */
const { guest_page: _, ...plain } = Testing.demoProgram.file
const pageless = { ...Testing.demoProgram, id: "pageless", file: { ...plain, program_id: "pageless" } }

export const rootKey = "proto-dev-admin-key"
/** A token that may do everything that tokens may. */
const everything = {
  token_sha256: hash("sha256", "everything"),
  scopes: ["protocol:read", "protocol:write", "platform:read", "platform:write", "points:give"] as const
}
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const serving = TestServer.layer(PgJournal.layer, [everything], undefined, [Testing.demoProgram, pageless], Pools.layer)
export const layer = Layer.provideMerge(serving, TestDatabase.layer)

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
