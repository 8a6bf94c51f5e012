/**
 * contract/transport.md *Order of the checks* on the surfaces of operators and of the platform: each check comes before
 * all that are later. `test/edge/http/Gate.test.ts` has the same for `/proto/v1`, and the rate limit.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { maxBodyBytes } from "../../../src/contract/protocol/Protocol.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { ask } from "../../edge/http/TestServer.ts"

const token = (
  name: string,
  scopes: ReadonlyArray<"admin:read" | "admin:write" | "platform:read" | "platform:write">
) => ({
  token_sha256: hash("sha256", name),
  scopes
})
const all = ["admin:read", "admin:write", "platform:read", "platform:write"] as const
const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))
const layer = TestServer.layer(memory, [
  token("writer", all),
  token("reader", ["admin:read", "platform:read"]),
  { ...token("stranger", all), programs: ["other"] }
])

interface Draft {
  method: string
  path: string
  token: string
  mediaType: string
  body: Record<string, unknown>
  text?: (body: string) => string
}

interface Check {
  readonly name: string
  readonly code: string
  readonly spoil: (draft: Draft) => void
  readonly isFreeze?: boolean
  /** Checks that cannot fail together with this one. */
  readonly apart?: ReadonlyArray<string>
}

const checks: ReadonlyArray<Check> = [
  { name: "1 path", code: "not_found", spoil: (draft) => (draft.path += "/x/y/z") },
  { name: "2 method", code: "method_not_allowed", spoil: (draft) => (draft.method = "DELETE") },
  {
    name: "3 token",
    code: "unauthorized",
    spoil: (draft) => (draft.token = "nobody"),
    apart: ["4 scope", "11 programme"]
  },
  { name: "4 scope", code: "forbidden", spoil: (draft) => (draft.token = "reader"), apart: ["11 programme"] },
  { name: "5 freeze", code: "write_frozen", spoil: () => undefined, isFreeze: true },
  { name: "7 media type", code: "unsupported_media_type", spoil: (draft) => (draft.mediaType = "text/plain") },
  {
    name: "8 size",
    code: "payload_too_large",
    spoil: (draft) => (draft.text = (body) => body + " ".repeat(maxBodyBytes)),
    apart: ["9 JSON"]
  },
  {
    name: "9 JSON",
    code: "invalid_json",
    spoil: (draft) => (draft.text = (body) => body.slice(0, -1)),
    apart: ["10 schema", "11 programme"]
  },
  { name: "10 schema", code: "validation_failed", spoil: (draft) => (draft.body["unknown"] = 1) },
  { name: "11 programme", code: "forbidden", spoil: (draft) => (draft.token = "stranger") }
]

const program_id = "demo-foodservice"
const routes = {
  "of the platform, whose programme is in the body": {
    method: "PUT",
    path: "/platform/v1/segments",
    body: { program_id, name: "All", rules: { has: "email" } }
  },
  "of operators, whose programme is in the path": {
    method: "POST",
    path: `/admin/api/v1/members/${program_id}/ada/status`,
    body: { status: "suspended", reason: "test" }
  },
  "of operators, whose programme is defined in the body": {
    method: "POST",
    path: "/admin/api/v1/programs/publish",
    body: { program: { program_id } }
  }
}

it.layer(layer)("the checks of a route", (it) => {
  for (const [what, route] of Object.entries(routes))
    it.effect(what, () =>
      Effect.gen(function* () {
        const freeze = yield* WriteFreeze
        const answered = (...failing: ReadonlyArray<Check>) =>
          Effect.gen(function* () {
            const draft: Draft = { ...route, body: { ...route.body }, token: "writer", mediaType: "application/json" }
            for (const { spoil } of failing) spoil(draft)
            yield* freeze.set(failing.some(({ isFreeze }) => isFreeze === true))
            const { body: json, mediaType, method, path, text = (body: string) => body } = draft
            const port = yield* TestServer.port
            const headers = { authorization: `Bearer ${draft.token}`, "content-type": mediaType }
            const answer = yield* Effect.promise(() =>
              ask(port, { method, path, headers, body: text(JSON.stringify(json)) })
            )
            return JSON.parse(answer.body).code as unknown
          })
        for (const [place, check] of checks.entries()) {
          assert.strictEqual(yield* answered(check), check.code, check.name)
          for (const later of checks.slice(place + 1))
            if (check.apart?.includes(later.name) !== true)
              assert.strictEqual(yield* answered(check, later), check.code, `${check.name} before ${later.name}`)
        }
        yield* freeze.set(false)
      })
    )
})
