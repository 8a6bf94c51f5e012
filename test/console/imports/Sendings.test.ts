/** contract/engagement.md *Taking an import back*: the same file comes in again after its import was taken back. */
import { assert, it } from "@effect/vitest"
import { sentOnce } from "../../../src/console/imports/sendings.ts"

it("a file is sent by the key after those whose imports were taken back, and by no other one", async () => {
  const taken = new Set<string>()
  const sent: Array<string> = []
  const send = () =>
    sentOnce("file-1", async (key) => {
      sent.push(key)
      return { key, import: taken.has(key) ? { taken_back_at: "2026-07-14T10:00:00.000Z" } : {} }
    })
  for (const expected of ["file-1", "file-1-1", "file-1-2"]) {
    assert.strictEqual((await send()).key, expected)
    assert.strictEqual((await send()).key, expected)
    taken.add(expected)
  }
  assert.deepStrictEqual(sent.slice(0, 4), ["file-1", "file-1", "file-1", "file-1-1"])
})
