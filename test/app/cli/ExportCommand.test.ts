/** `lotbook export` as an operator runs it. Holds contract/exports.md *File*, *Manifest*, *Check*. */
import { assert, layer } from "@effect/vitest"
import { generateIdentity, identityToRecipient } from "age-encryption"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { credit, earn } from "../../../src/app/testing/Guests.ts"
import * as RestoreSpans from "../../../src/reads/reconcile/RestoreSpans.ts"
import * as Folders from "../../Folders.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"

const folder = Folders.make("lotbook-export-")
const inFolder = (name: string, content?: string | Uint8Array): string => {
  const file = path.join(folder, name)
  if (content !== undefined) fs.writeFileSync(file, content)
  return file
}

const exported = (name: string, ...more: ReadonlyArray<string>) =>
  InProcess.onDatabase("export", inFolder(name), "--program", "demo-foodservice", ...more)
const check = (name: string, ...more: ReadonlyArray<string>) =>
  InProcess.lotbook(["export", "check", inFolder(name), ...more])

const linesOf = (name: string): Array<string> =>
  zstdDecompressSync(fs.readFileSync(inFolder(name)))
    .toString("utf8")
    .split("\n")
    .slice(0, -1)

layer(Scenario.layer, { excludeTestServices: true })("lotbook export", (it) => {
  it.effect("writes a file that its check proves without the database: counts, sums, heads", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(3)
      const ran = yield* exported("whole", "--plain")
      assert.strictEqual(ran.code, 0, ran.err)
      assert.match(ran.out, /^guest: 3$/m)
      assert.strictEqual(fs.statSync(inFolder("whole")).mode & 0o777, 0o600)
      const found = yield* check("whole")
      assert.strictEqual(found.code, 0, found.err)
      assert.deepStrictEqual(found.out.split("\n").slice(1), ran.out.split("\n").slice(1))
      const [row] = yield* TestDatabase.query(
        `SELECT (SELECT count(*)::int FROM journal) AS records, (SELECT count(*)::int FROM ledger_entries) AS entries,
            (SELECT sum(balance)::int FROM accounts) AS points`
      )
      const { counts, sums } = JSON.parse((yield* check("whole", "--json")).out)
      assert.strictEqual(counts.record, row?.["records"])
      assert.strictEqual(counts.entry, row?.["entries"])
      assert.deepInclude(sums, { unit: "points", entries: String(row?.["points"]), lots: String(row?.["points"]) })
    })
  )

  it.effect("is in the audit, without a word of guests, and never takes the place of a file", () =>
    Effect.gen(function* () {
      const before = fs.readFileSync(inFolder("whole"))
      assert.strictEqual((yield* exported("whole", "--plain")).code, 2)
      assert.deepStrictEqual(fs.readFileSync(inFolder("whole")), before)
      const half = inFolder(`other.${process.ppid}@${os.hostname()}.unfinished`, "half")
      assert.match(
        (yield* exported("other", "--plain")).err,
        /process \d+ writes it.*remove .*other\.\d+@.*\.unfinished/
      )
      assert.strictEqual(fs.readFileSync(half, "utf8"), "half")
      fs.rmSync(half)
      const rows = yield* TestDatabase.query("SELECT changes FROM audit WHERE action = 'program.export'")
      assert.strictEqual(rows.length, 1)
      assert.match(String(rows[0]?.["changes"]), /^\{"after":\{"guests":3,"heads":"\w+","encrypted":false\}\}$/)
      assert.deepStrictEqual(
        fs.readdirSync(folder).filter((name) => name.endsWith(".unfinished")),
        []
      )
    })
  )

  it.effect("demands one way to read it", () =>
    Effect.gen(function* () {
      const ways = [[], ["--plain", "--recipient", "age1x"], ["--recipient", "nonsense"]]
      for (const way of ways) {
        assert.strictEqual((yield* exported("none", ...way)).code, 2)
        assert.strictEqual(fs.existsSync(inFolder("none")), false)
      }
    })
  )

  it.effect("encrypts for recipients, each of whom opens it alone", () =>
    Effect.gen(function* () {
      const [one, other, stranger] = yield* Effect.promise(() =>
        Promise.all([generateIdentity(), generateIdentity(), generateIdentity()])
      )
      const recipients = yield* Effect.promise(() => Promise.all([one, other].map(identityToRecipient)))
      const flags = recipients.flatMap((recipient) => ["--recipient", recipient])
      const ran = yield* exported("sealed", ...flags)
      assert.strictEqual(ran.code, 0, ran.err)
      for (const [name, identity, code] of [
        ["one", one, 0],
        ["other", other, 0],
        ["stranger", stranger, 1]
      ] as const) {
        const found = yield* check("sealed", "--identity", inFolder(name, `# a key\n${identity}\n`))
        assert.strictEqual(found.code, code, name)
      }
      assert.match((yield* check("sealed")).err, /is encrypted/)
      assert.strictEqual((yield* check("sealed")).code, 2)
    })
  )

  it.effect("encrypts with a passphrase; a wrong one is said", () =>
    Effect.gen(function* () {
      const right = inFolder("right", "correct horse\n")
      assert.strictEqual((yield* exported("locked", "--passphrase-file", right)).code, 0)
      assert.strictEqual((yield* check("locked", "--passphrase-file", right)).code, 0)
      const wrong = yield* check("locked", "--passphrase-file", inFolder("wrong", "battery staple\n"))
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.err, /does not open it/)
    })
  )

  it.effect("a file of guests alone is said to be one, encrypted or not", () =>
    Effect.gen(function* () {
      const right = inFolder("guests-pass", "correct horse\n")
      assert.strictEqual((yield* exported("guests-plain", "--guests", "--plain")).code, 0)
      assert.strictEqual((yield* exported("guests-locked", "--guests", "--passphrase-file", right)).code, 0)
      const plain = yield* check("guests-plain")
      assert.deepStrictEqual([plain.code, /has guests alone.*move-in plan/.test(plain.err)], [2, true], plain.err)
      const locked = yield* check("guests-locked", "--passphrase-file", right)
      assert.deepStrictEqual([locked.code, /guests alone.*Decrypt it with age/.test(locked.err)], [2, true], locked.err)
    })
  )

  it.effect("a file that was cut short, or has another byte anywhere, is damaged", () =>
    Effect.gen(function* () {
      for (const [name, ...flags] of [["whole"], ["sealed", "--identity", inFolder("one")]] as const) {
        const bytes = fs.readFileSync(inFolder(name))
        const places = [0, 30, bytes.length >> 1, bytes.length - 1]
        for (const length of places) {
          inFolder("cut", bytes.subarray(0, length))
          assert.strictEqual((yield* check("cut", ...flags)).code, 1, `${name} cut to ${length}`)
        }
        for (const place of places) {
          const changed = Buffer.from(bytes)
          changed[place]! ^= 0x01
          inFolder("changed", changed)
          assert.strictEqual((yield* check("changed", ...flags)).code, 1, `${name} changed at ${place}`)
        }
        inFolder("longer", Buffer.concat([bytes, Buffer.from("x")]))
        assert.strictEqual((yield* check("longer", ...flags)).code, 1, `${name} longer`)
      }
      // The compressor may end with an empty frame.
      const ended = [fs.readFileSync(inFolder("whole")), zstdCompressSync(Buffer.alloc(0))]
      inFolder("empty", Buffer.concat(ended))
      assert.strictEqual((yield* check("empty")).code, 0)
      inFolder("empty", Buffer.concat([...ended, Buffer.from("xyz")]))
      assert.strictEqual((yield* check("empty")).code, 1)
    })
  )

  it.effect("a file whose lines were changed by somebody who can compress is damaged", () =>
    Effect.gen(function* () {
      const lines = linesOf("whole")
      const at = (kind: string) => lines.findIndex((line) => line.replaceAll(" ", "").startsWith(`{"kind":"${kind}"`))
      const changes: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["without a record", lines.toSpliced(at("record"), 1)],
        ["without an entry", lines.toSpliced(at("entry"), 1)],
        ["without a lot", lines.toSpliced(at("lot"), 1)],
        ["without a consent's guest", lines.toSpliced(at("guest"), 1)],
        ["without a reward", lines.toSpliced(at("reward"), 1)],
        ["a guest twice", lines.toSpliced(at("guest"), 0, lines[at("guest")]!)],
        ["without manifest", lines.slice(0, -1)],
        ["after the manifest", [...lines, lines[at("reward")]!]],
        ["another name", lines.with(at("guest"), lines[at("guest")]!.replace("m-", "n-"))],
        ["another kind", lines.with(at("lot"), '{"kind":"constructor"}')]
      ]
      for (const [what, changed] of changes) {
        inFolder("forged", zstdCompressSync(Buffer.from(`${changed.join("\n")}\n`)))
        const found = yield* check("forged")
        assert.strictEqual(found.code, 1, `${what}: ${found.out}`)
      }
    })
  )

  it.effect("has the records of archived months out of their files, and is none without them", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      for (const span of [1, 2, 3]) {
        yield* Archiving.begin
        yield* earn("m-0", `m-0-span-${span}`, 2_000)
      }
      for (const month of ["03", "04"])
        yield* Scenario.byHand(`UPDATE spans SET began_at = '2025-${month}-09' WHERE span = ${Number(month) - 3}`)
      for (const _ of [1, 2, 3]) yield* Archiving.seal
      // Every byte but for the time of the export and the checksum over it.
      const everyLine = (name: string) =>
        linesOf(name).map((line) => line.replace(/("(?:taken_at|sha256)" ?:) ?"[^"]*"/, "$1"))
      const guests = (name: string) => fs.readFileSync(inFolder(name), "utf8")
      assert.strictEqual((yield* exported("here", "--plain")).code, 0)
      assert.strictEqual((yield* exported("here-guests", "--plain", "--guests")).code, 0)
      assert.strictEqual(yield* Archiving.archiveAll(to), 2)
      for (const more of [[], ["--guests"]]) {
        const ran = yield* exported("away", "--plain", ...more)
        assert.strictEqual(ran.code, 2)
        assert.include(ran.err, "Nothing was exported: it needs the records of archived months (2025-03, 2025-04)")
      }
      const ran = yield* exported("away", "--plain", "--from", to)
      assert.strictEqual(ran.code, 0, ran.err)
      assert.deepStrictEqual(everyLine("away"), everyLine("here"))
      assert.strictEqual((yield* check("away")).code, 0)
      assert.strictEqual((yield* exported("away-guests", "--plain", "--guests", "--from", to)).code, 0)
      assert.strictEqual(guests("away-guests"), guests("here-guests"))

      // Of a guest the first records are in the tables again, the next in a file, and the last in the tables.
      const restore = (month: string) => RestoreSpans.restore(month, to, () => Effect.void)
      assert.strictEqual(yield* restore("2025-03"), 1)
      assert.strictEqual((yield* exported("mixed", "--plain", "--from", to)).code, 0)
      assert.deepStrictEqual(everyLine("mixed"), everyLine("here"))
      const lacking = yield* exported("lacking", "--plain", "--from", folder)
      assert.strictEqual(lacking.code, 2)
      assert.match(lacking.err, /cannot be opened/)
      assert.strictEqual(yield* restore("2025-04"), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves no file where the tables disagree", () =>
    Effect.gen(function* () {
      yield* credit("m-1", 10)
      yield* Scenario.byHand("DELETE FROM ledger_entries e WHERE n = 2")
      const ran = yield* exported("disagreeing", "--plain")
      assert.strictEqual(ran.code, 1)
      assert.match(ran.err, /lacks entry 2/)
      yield* Scenario.byHand("DELETE FROM journal WHERE seq = 2")
      const guests = yield* exported("disagreeing", "--plain", "--guests")
      assert.deepStrictEqual([guests.code, /lacks records/.test(guests.err)], [1, true], guests.err)
      assert.deepStrictEqual(
        fs.readdirSync(folder).filter((name) => name.startsWith("disagreeing")),
        []
      )
    })
  )
})
