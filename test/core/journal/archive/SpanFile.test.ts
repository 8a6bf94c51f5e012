/** Files of archived spans. Holds contract/databases.md *Archive*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { keyOf } from "../../../../src/core/journal/archive/Sections.ts"
import * as SpanFile from "../../../../src/core/journal/archive/SpanFile.ts"
import { SpanWriter } from "../../../../src/core/journal/archive/SpanWriter.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "span-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

const facts = { span: 3, month: "2025-01", database: "d", seal: "s", columns: { records: ["a"], entries: [] } }
const accounts = 400
const perAccount = 5
/** Hard to compress, so that the file has several blocks. */
const rowOf = (account: number, seq: number) =>
  JSON.stringify([String(account), String(seq), `${account * 7919 + seq}é`.repeat(100)])

const write = (name: string) => {
  const writer = new SpanWriter(name)
  for (let account = 2; account < 2 + accounts; account++)
    for (let seq = 1; seq <= perAccount; seq++)
      writer.add("records", keyOf(BigInt(account), BigInt(seq)), rowOf(account, seq))
  writer.add("order", keyOf(1n, 2n, 3n, 4n), "[]")
  return writer.finish(facts)
}

it.effect("has every row again, in blocks that are found by key", () =>
  Effect.gen(function* () {
    const made = yield* folder
    const { bytes, checksum } = write(path.join(made, "f"))
    assert.deepStrictEqual(fs.readdirSync(made), ["f"])
    assert.strictEqual(fs.statSync(path.join(made, "f")).size, bytes)
    const file = yield* SpanFile.open(made, "f", checksum)
    assert.deepInclude(file.header, { ...facts, rows: { records: accounts * perAccount, entries: 0, order: 1 } })
    assert.isAbove(file.blocks("records"), 5)
    const all: Array<string> = []
    for (let block = 0; block < file.blocks("records"); block++) all.push(...(yield* file.rows("records", block)))
    assert.deepStrictEqual(
      all,
      Array.from({ length: accounts * perAccount }, (_, at) =>
        rowOf(2 + Math.floor(at / perAccount), (at % perAccount) + 1)
      )
    )
    for (const account of [2, 77, 401]) {
      const block = file.blockOf("records", keyOf(BigInt(account), 4n))
      assert.include(yield* file.rows("records", block), rowOf(account, 4))
    }
    assert.strictEqual(file.blockOf("records", keyOf(1n, 9n)), -1)
    assert.strictEqual(file.blockOf("entries", keyOf(1n, 9n)), -1)
    assert.strictEqual(file.blockOf("records", keyOf(9_999n)), file.blocks("records") - 1)
  })
)

it.effect("is not used where one bit differs, it is cut off, gone, or another one", () =>
  Effect.gen(function* () {
    const made = yield* folder
    const name = path.join(made, "f")
    const { bytes, checksum } = write(name)
    const whole = fs.readFileSync(name)
    const reading = Effect.scoped(
      Effect.gen(function* () {
        const file = yield* SpanFile.open(made, "f", checksum)
        for (let block = 0; block < file.blocks("records"); block++) yield* file.rows("records", block)
      })
    )
    yield* reading
    for (let at = 10; at < bytes; at += Math.floor(bytes / 50)) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      fs.writeFileSync(name, changed)
      // The section without a reader has the byte.
      if (at > bytes * 0.98) continue
      assert.match((yield* Effect.flip(reading)).message, /damaged/, `byte ${at}`)
    }
    fs.writeFileSync(name, whole.subarray(0, bytes - 5))
    assert.match((yield* Effect.flip(reading)).message, /damaged/)
    fs.writeFileSync(name, "")
    assert.match((yield* Effect.flip(reading)).message, /damaged/)
    fs.rmSync(name)
    assert.match((yield* Effect.flip(reading)).message, /cannot be opened/)
    const other = write(name)
    assert.deepStrictEqual(other.checksum, checksum)
    yield* reading
  })
)
