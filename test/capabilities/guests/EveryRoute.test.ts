/**
 * contract/guests.md *Routes*: every route of `/my/api/v1` as strangers, staff, tills and pages of other sites call it.
 * A new route joins by itself.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { enroll } from "../../../src/app/testing/Guests.ts"
import { AccessOf, AuthOf } from "../../../src/contract/Access.ts"
import { GuestApi } from "../../../src/contract/guest/Api.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"
import * as Page from "./Page.ts"

const { asked, bearer, rootKey, signedIn } = Page

interface Endpoint {
  readonly name: string
  readonly method: string
  /** Behind the programme. */
  readonly path: string
  readonly isOpen: boolean
  readonly hasOwnKeys: boolean
}

const endpoints: Array<Endpoint> = []
HttpApi.reflect(GuestApi, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, mergedAnnotations }) => {
    endpoints.push({
      name: endpoint.identifier,
      method: endpoint.method,
      path: endpoint.path.replace("/my/api/v1/:program_id", "").replaceAll(/:\w+/g, "5f0c2a9be1d47a60"),
      isOpen: Context.getUnsafe(mergedAnnotations, AuthOf) === "none",
      hasOwnKeys: Context.get(mergedAnnotations, AccessOf).hasOwnKeys === true
    })
  }
})
const guarded = endpoints.filter(({ isOpen }) => !isOpen)
const changes = endpoints.filter(({ method }) => method !== "GET")

const invented = `lotbook_guest=${"A".repeat(43)}`

const bodyFor = ({ method }: Endpoint) => (method === "GET" || method === "DELETE" ? undefined : {})
const call = (endpoint: Endpoint, headers: Record<string, string>, base?: string) =>
  asked(endpoint.method, endpoint.path, bodyFor(endpoint), headers, base)

it("every change of a signed-in guest makes its repetition safe by itself: results of keys are stored for keys' callers alone", () => {
  for (const { hasOwnKeys, name } of guarded.filter(({ method }) => method !== "GET")) assert.isTrue(hasOwnKeys, name)
})

/** Calls of every route with a guest's ids; signing out is the caller's own. */
const named = (session_id: string, request_id: unknown) => {
  const entered = { request_id, code: "000000" }
  const all = { member_id: "olga", account: 1, session_id, guest: "olga", ...entered }
  return guarded
    .filter(({ name }) => name !== "endGuestSession")
    .flatMap(({ method, path }) => {
      const at = path.replace("5f0c2a9be1d47a60", session_id)
      if (method === "GET") return [{ method, path: `${at}?member_id=olga&account=1`, body: undefined }]
      return (method === "DELETE" ? [undefined] : [all, entered]).map((body) => ({ method, path: at, body }))
    })
}

it.layer(Page.layer)("every route of one guest", (it) => {
  it.effect("refuses whoever is no guest, also with credentials of staff and tills", () =>
    Effect.gen(function* () {
      const staff = yield* Operators.signIn(rootKey)
      const { cookie, csrf } = staff
      const strangers: ReadonlyArray<Record<string, string>> = [
        {},
        bearer("everything"),
        bearer("proto-dev-token"),
        bearer(rootKey),
        { cookie, "x-csrf-token": csrf },
        // The id of staff's session, and one that never was.
        { cookie: cookie.replace(/^[^=]+/, "lotbook_guest"), "x-csrf-token": csrf },
        { cookie: invented, "x-csrf-token": csrf }
      ]
      assert.isAtLeast(guarded.length, 4)
      for (const endpoint of guarded)
        for (const headers of strangers) {
          const { body, status } = yield* call(endpoint, headers)
          const isForged = endpoint.method !== "GET" && headers["cookie"] === invented
          const expected = isForged ? 403 : 401
          assert.strictEqual(status, expected, `${endpoint.name} ${JSON.stringify(headers)} ${JSON.stringify(body)}`)
        }
    })
  )

  it.effect("is not there for a programme without a page, as for one that is not there", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const { cookie, csrf } = yield* signedIn("ada")
      for (const endpoint of endpoints)
        for (const program of ["pageless", "nowhere"]) {
          const { body, status } = yield* call(endpoint, { cookie, "x-csrf-token": csrf }, `/my/api/v1/${program}`)
          assert.deepStrictEqual([status, body["code"]], [404, "not_found"], `${endpoint.name} of ${program}`)
        }
    })
  )

  it.effect("changes nothing without the session's CSRF token, or for a page of another site", () =>
    Effect.gen(function* () {
      yield* enroll("bea")
      const { cookie, csrf } = yield* signedIn("bea")
      const forged: ReadonlyArray<Record<string, string>> = [
        { cookie },
        { cookie, "x-csrf-token": "wrong" },
        { cookie, "x-csrf-token": csrf, origin: "https://elsewhere.example" },
        { cookie, "x-csrf-token": csrf, "sec-fetch-site": "cross-site" }
      ]
      for (const endpoint of changes)
        for (const headers of endpoint.isOpen ? forged.slice(2) : forged) {
          const { body, status } = yield* call(endpoint, headers)
          assert.deepStrictEqual(
            [status, body["code"]],
            [403, "csrf_failed"],
            `${endpoint.name} ${JSON.stringify(headers)}`
          )
        }
    })
  )

  it.effect("shows and changes nothing of another guest, whichever of the other's ids a request names", () =>
    Effect.gen(function* () {
      const names = { display_name: "Olga Secret", email: "olga@example.com" }
      for (const [member_id, facts] of [
        ["olga", names],
        ["thief", {}]
      ] as const)
        yield* TestServer.send(
          "/platform/v1/members",
          { program_id: Page.program_id, member_id, ...facts },
          { method: "PUT", headers: bearer("everything") }
        )
      const [olga, thief] = [yield* signedIn("olga"), yield* signedIn("thief")]
      const sessionOf = Effect.map(Page.send(olga, "GET", "/sessions"), ({ body }) =>
        (body["sessions"] as ReadonlyArray<{ readonly session_id: string }>).map(({ session_id }) => session_id)
      )
      const [session_id = ""] = yield* sessionOf
      const { request_id } = (yield* Page.send(olga, "POST", "/fresh", {})).body
      const rows = TestDatabase.query(`SELECT a.status::text, p.display_name, p.email, g.leaves_at FROM accounts a
        LEFT JOIN profiles p ON p.account = a.number LEFT JOIN guest_settings g ON g.account = a.number WHERE a.member_id = 'olga'`)
      const before = yield* rows
      yield* TestDatabase.query(`UPDATE guest_sessions SET fresh_until = ends_at`)
      for (const { body, method, path } of named(session_id, request_id)) {
        const told = JSON.stringify((yield* Page.send(thief, method, path, body)).body)
        assert.notMatch(told, /olga/i, path)
      }
      assert.deepStrictEqual(yield* rows, before)
      assert.deepStrictEqual(yield* sessionOf, [session_id])
      assert.strictEqual((yield* Page.send(olga, "GET", "/me")).status, 200)
    })
  )

  it.effect("opens no route of anybody else by a guest's cookie", () =>
    Effect.gen(function* () {
      yield* enroll("cleo")
      const { cookie, csrf } = yield* signedIn("cleo")
      const as = (name: string) => ({ cookie: cookie.replace(/^[^=]+/, name), "x-csrf-token": csrf })
      for (const path of ["/session", "/members", "/audit", "/staff/me"])
        for (const name of ["lotbook_guest", "lotbook_session"])
          assert.strictEqual((yield* Operators.get(path, { authorization: "", ...as(name) })).status, 401, path)
    })
  )
})
