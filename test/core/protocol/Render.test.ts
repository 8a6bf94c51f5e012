/** contract/resources.md *Balance*: the id of an account. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import type { BodyOf, ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { Identifier } from "../../../src/contract/Values.ts"
import { accountId, present } from "../../../src/core/protocol/Render.ts"

it("an account's id is unit and member, or a stable shorter form where that is no identifier", () => {
  const id = (member: string, account = 7) => accountId({ account, program: "demo", member }, "points")
  const decode = strictDecoder(Identifier)
  assert.strictEqual(id("ada"), "points:ada")
  const longest = "m".repeat(128 - "points:".length)
  assert.strictEqual(id(longest), `points:${longest}`)
  const long = ["m", "n"].map((one) => one.repeat(128))
  for (const member of [longest, `${longest}m`, ...long]) assert.isTrue(Result.isSuccess(decode(id(member))), member)
  // It is of the account, so two members never share it, and no member's id gives it.
  assert.strictEqual(id(`${longest}m`), id(`${longest}m`))
  assert.notStrictEqual(id("m".repeat(128), 7), id("n".repeat(128), 8))
  assert.isTrue(Result.isFailure(decode(id("m".repeat(128)).slice("points:".length))))
})

it("a body names each property of its response, and absent ones are in no answer of a schema", () => {
  // @ts-expect-error: it does not name `next_cursor`, which the response may have.
  const unfinished: BodyOf<"ledger.list"> = { entries: [] }
  const body: BodyOf<"ledger.list"> = { ...unfinished, next_cursor: undefined }
  const shown = present<Omit<ResponseOf<"ledger.list">, "context">>(body)
  assert.deepStrictEqual(Object.keys(shown), ["entries"])
  const nested = { list: [{ kept: null, absent: undefined }], text: "" }
  assert.deepStrictEqual<unknown>(present<object>(nested), JSON.parse(JSON.stringify(nested)))
})
