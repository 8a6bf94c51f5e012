/** contract/resources.md *Balance*: the id of an account. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import { Identifier } from "../../../src/contract/Values.ts"
import { accountId } from "../../../src/core/protocol/Render.ts"

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
