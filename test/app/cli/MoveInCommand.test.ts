/** `lotbook move-in` as an operator runs it. Holds contract/moving.md *Plan*, *Faults*. */
import { it as alone, assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { folder, written } from "../../capabilities/moving/Files.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "../service/TestServer.ts"
import * as InProcess from "./InProcess.ts"

const program = ["--program", "demo-foodservice"]
const faults = path.join(folder, "faults.csv")

const moveIn = (...args: ReadonlyArray<string>) => InProcess.onDatabase("move-in", ...args)
const planOf = (files: ReadonlyArray<string>, ...more: ReadonlyArray<string>) =>
  moveIn("plan", ...files, ...program, "--faults", faults, ...more)

layer(Scenario.layer, { excludeTestServices: true })("lotbook move-in plan", (it) => {
  it.effect("tells sums and members who are here, and changes nothing", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const files = written({ "guests.csv": "member_id,display_name,balance\nada,Ada,1500\nbob,Bob,20\n" })
      const ran = yield* planOf(files)
      assert.strictEqual(ran.code, 0, ran.err)
      assert.match(ran.out, /^guests: 2, of whom 1 are members already$/m)
      assert.match(ran.out, /^points: 1,520 in 2 lots$/m)
      assert.match(ran.out, /^no faults$/m)
      assert.strictEqual((yield* planOf(files, "--json")).out.includes('"amount":"1520"'), true)
      const known = yield* InProcess.onDatabase("members", "show", "bob", ...program)
      assert.strictEqual(known.code, 1)
    })
  )

  it.effect("lists faults in a file of its user alone, and fails", () =>
    Effect.gen(function* () {
      yield* enroll("cem")
      const files = written({ "guests.csv": "member_id,card:loyalty_id:x,display_name\ndora,card-cem,Dora Secret\n" })
      const ran = yield* planOf(files)
      assert.strictEqual(ran.code, 1)
      assert.match(ran.out, /^ {2}card_elsewhere: 1$/m)
      assert.match(fs.readFileSync(faults, "utf8"), /^card_elsewhere,guests\.csv,2,card:loyalty_id:x,/m)
      assert.strictEqual(fs.statSync(faults).mode & 0o777, 0o600)
      assert.notInclude(ran.out + ran.err + fs.readFileSync(faults, "utf8"), "Secret")
    })
  )

  it.effect("writes a mapping that plans again, and overwrites none", () =>
    Effect.gen(function* () {
      const files = written({ "guests.csv": "Kunden-Nr.;Name;Punkte;Bis\nk1;Ada;1.500;x\n" })
      const mapping = path.join(folder, "mapping.json")
      const suggested = yield* planOf(files, "--suggest", mapping)
      assert.strictEqual(suggested.code, 0, suggested.err)
      assert.match(suggested.out, /^guests\.csv: columns that are left out: Bis$/m)
      assert.strictEqual((yield* planOf(files, "--suggest", mapping)).code, 2)
      assert.strictEqual((yield* planOf(files, "--mapping", mapping)).code, 1)
      fs.writeFileSync(mapping, fs.readFileSync(mapping, "utf8").replace('"thousands": null', '"thousands": "."'))
      const ran = yield* planOf(files, "--mapping", mapping)
      assert.strictEqual(ran.code, 0, ran.out + ran.err)
      assert.match(ran.out, /^points: 1,500 in 1 lots$/m)
    })
  )
})

const memory = MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer))

alone.live("a move in ends with 2 where the service refuses the key or lacks the programme: it could not run", () =>
  Effect.gen(function* () {
    const [file = ""] = written({ "guests.csv": "external_id\ng1\n" })
    const url = `http://127.0.0.1:${yield* TestServer.port}`
    const at = (programme: string, PROTO_ADMIN_KEY: string) =>
      InProcess.lotbook(["move-in", "plan", file, "--program", programme, "--faults", faults, "--url", url], {
        PROTO_ADMIN_KEY
      })
    const wrong = yield* at("demo-foodservice", "wrong-key-of-nobody-at-all")
    assert.deepStrictEqual([wrong.code, wrong.out], [2, ""], wrong.err)
    const unknown = yield* at("nothing", "proto-dev-admin-key")
    assert.deepStrictEqual([unknown.code, unknown.out], [2, ""], unknown.err)
    assert.match(unknown.err, /not_found/)
  }).pipe(
    Effect.provide(
      TestServer.layer(memory, [], undefined, [Testing.demoProgram], Pools.layer).pipe(
        Layer.provide(TestDatabase.layer)
      )
    )
  )
)
