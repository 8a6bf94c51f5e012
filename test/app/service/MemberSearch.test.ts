/** contract/members.md *Searching*: search finds what people type at a counter. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { earn } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { operations } from "../../../src/contract/protocol/Operations.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "./TestServer.ts"

const program_id = Testing.demoProgram.id
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)

const done = <A extends TestServer.Response>({ body, status }: A) => assert.isBelow(status, 300, JSON.stringify(body))
const enroll = (member_id: string, identity: object) =>
  Effect.map(
    TestServer.send(operations["member.enroll"].path, { context: Testing.context(), program_id, member_id, identity }),
    done
  )
const profile = (member_id: string, facts: object) =>
  Effect.map(TestServer.send("/platform/v1/members", { program_id, member_id, ...facts }, { method: "PUT" }), done)
const platform = "/platform/v1/members"
interface Shown {
  readonly member_id: string
  readonly similar?: boolean
}
const asked = (path: string) =>
  Effect.map(
    TestServer.send(path, undefined, {
      method: "GET",
      headers: { authorization: `Bearer ${path.startsWith(platform) ? "proto-dev-token" : "proto-dev-admin-key"}` }
    }),
    ({ body }) => body as unknown as { readonly members: ReadonlyArray<Shown>; readonly next_cursor?: string }
  )
const pathOf = (search: string, path: string = platform) =>
  `${path}?program_id=${program_id}&search=${encodeURIComponent(search)}`
const idsOf = (members: ReadonlyArray<Shown>) =>
  members.map(({ member_id, similar = false }) => (similar ? `~${member_id}` : member_id))
const found = (search: string) => Effect.map(asked(pathOf(search)), ({ members }) => idsOf(members))
/** All that the list finds, one a page. */
const paged = Effect.fnUntraced(function* (search: string, path: string) {
  const ids: Array<string> = []
  let cursor = ""
  do {
    const { members, next_cursor = "" } = yield* asked(`${pathOf(search, path)}&limit=1${cursor}`)
    ids.push(...idsOf(members))
    cursor = next_cursor === "" ? "" : `&cursor=${encodeURIComponent(next_cursor)}`
  } while (cursor !== "")
  return ids
})

it.layer(layer, { excludeTestServices: true })("a search for members", (it) => {
  it.effect("finds words of names, ends of numbers in any spelling, hashed numbers and orders", () =>
    Effect.gen(function* () {
      const hashed = hash("sha256", "+491709998877")
      yield* enroll("m1", { type: "loyalty_id", value: "CARD-0012 3456", issuer: "x" })
      yield* enroll("m2", { type: "phone_hash", value: hashed })
      yield* enroll("m3", { type: "loyalty_id", value: "777700001111" })
      yield* profile("m1", { display_name: "Zoë Müller-Łukasz", phone: "+491701234567" })
      yield* profile("m3", { display_name: "Ada King Lovelace" })
      yield* earn("m3", "Order #42/7", 1000)
      yield* earn("m3", "A-77", 1000)
      for (const [search, expected] of [
        ["lovel", ["m3"]],
        ["king ada", ["m3"]],
        ["zoe", ["m1"]],
        ["MULLER", ["m1"]],
        ["mu\u0308ller", ["m1"]],
        ["lukasz", ["m1"]],
        ["4567", ["m1"]],
        ["0170 123-4567", ["m1"]],
        ["+49 (0)170 1234567", ["m1"]],
        ["0049 170 1234567", ["m1"]],
        ["3456", ["m1"]],
        ["0012-3456", ["m1"]],
        ["card 00123456", ["m1"]],
        ["7777 0000 1111", ["m3"]],
        ["+49 170 9998877", ["m2"]],
        ["Order #42/7", ["m3"]],
        ["ORDER #42/7", []],
        ["a-77", ["m3"]],
        ["567", []],
        ["order #42", []]
      ] as const)
        assert.deepStrictEqual(yield* found(search), [...expected], search)
      // A typing error finds a name, and says so. A word that is right is no error.
      for (const [search, expected] of [
        ["lovelcae", ["~m3"]],
        ["ada lvoelace", ["~m3"]],
        ["mulllrr", []],
        ["mulelr", ["~m1"]],
        ["Mueler", ["~m1"]],
        ["Müllar", ["~m1"]],
        ["knig", ["~m3"]],
        ["zeo", []]
      ] as const)
        assert.deepStrictEqual(yield* found(search), [...expected], search)
      // Names that change or go are found no more.
      yield* profile("m1", { display_name: "Eve", phone: null })
      assert.deepStrictEqual(yield* found("muller"), [])
      assert.deepStrictEqual(yield* found("4567"), [])
      yield* Effect.map(
        TestServer.send("/platform/v1/members/erase", { program_id, member_id: "m3", reason: "asked" }),
        done
      )
      assert.deepStrictEqual(yield* found("lovelace"), [])
      for (const gone of ["00001111", "lovelcae", "m3", "A-77"]) assert.deepStrictEqual(yield* found(gone), [], gone)
    })
  )

  it.effect("has whole ones first, then beginnings, then similar ones, on both lists, page by page", () =>
    Effect.gen(function* () {
      const names = { s1: "Schmitt", s2: "Schmid", s3: "Schmidt", s4: "Schmidtke" }
      for (const [id, display_name] of Object.entries(names)) {
        yield* enroll(id, { type: "loyalty_id", value: `SALE-${id}` })
        yield* profile(id, { display_name })
      }
      yield* enroll("schmidt-9", { type: "loyalty_id", value: "SALE-9" })
      const expected = ["s3", "schmidt-9", "s4", "~s2", "~s1"]
      assert.deepStrictEqual(yield* found("schmidt"), expected)
      assert.deepStrictEqual(yield* paged("schmidt", platform), expected)
      const byId = ["s3", "s4", "schmidt-9", "~s1", "~s2"]
      assert.deepStrictEqual(yield* paged("schmidt", "/admin/api/v1/members"), byId)
    })
  )
})
