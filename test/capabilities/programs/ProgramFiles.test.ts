import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { fileURLToPath } from "node:url"
import * as ProgramFiles from "../../../src/capabilities/programs/ProgramFiles.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { file, program } from "../../core/rules/Builders.ts"

const demo = fileURLToPath(new URL("../../../src/app/demo/program.demo.json", import.meta.url))
const stamps = fileURLToPath(new URL("../../core/rules/program.stamps.json", import.meta.url))

/** A folder with these files. */
const folder = Effect.fnUntraced(function* (files: Readonly<Record<string, string | Uint8Array>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const at = yield* fs.makeTempDirectoryScoped()
  for (const [name, content] of Object.entries(files)) {
    yield* fs.writeFile(path.join(at, name), typeof content === "string" ? new TextEncoder().encode(content) : content)
  }
  return at
})

const programsAt = (at: string) => Effect.map(ProgramFiles.load(at), (files) => files.map(({ program }) => program))

const messageAt = (at: string) =>
  programsAt(at).pipe(
    Effect.flip,
    Effect.map((error) => error.message.replaceAll(`${at}/`, ""))
  )

const text = (change: (json: ReturnType<typeof file>) => void = () => {}): string => {
  const json = file()
  change(json)
  return JSON.stringify(json)
}

describe("loading programmes", () => {
  it.effect("the demo programme that is shipped loads", () =>
    Effect.gen(function* () {
      const programs = yield* programsAt(demo)
      expect(programs.map(({ id }) => id)).toEqual(["demo-foodservice"])
      expect(programs[0]?.tiers.map((tier) => tier.tier_id)).toEqual(["starter", "regular", "vip"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a folder's program*.json load together, in the order of their names, and nothing else does", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const at = yield* folder({
        "program.stamps.json": yield* fs.readFile(stamps),
        "program.demo.json": yield* fs.readFile(demo),
        "accrual.json": "{}",
        "program.txt": "no"
      })
      const programs = yield* programsAt(at)
      expect(programs.map(({ id }) => id)).toEqual(["demo-foodservice", "coffee-stamps"])
      expect(programs[1]?.stampCard?.rewardTtlMs).toBe(2_592_000_000)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("every fault of every file is reported, with file, place and reason", () =>
    Effect.gen(function* () {
      const at = yield* folder({
        "program-a.json": text((p) => {
          p["name"] = ""
          p["stamp_card"].threshold = 0
        }),
        "program-b.json": '{\n  "program_id": nope\n}',
        "program-c.json": new Uint8Array([0x7b, 0xff, 0x7d]),
        "program-d.json": "[]",
        "program-e.json": text()
      })
      expect((yield* messageAt(at)).split("\n")).toEqual([
        "program-a.json: /name: must have 1 to 512 characters",
        "program-a.json: /stamp_card/threshold: must be a whole number from 1 to 9,007,199,254,740,991",
        "program-b.json: not JSON: line 2, column 17: a value is expected",
        "program-c.json: not UTF-8",
        "program-d.json: /: must be an object"
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a program_id is one file's", () =>
    Effect.gen(function* () {
      const at = yield* folder({ "program-a.json": text(), "program-b.json": text() })
      expect(yield* messageAt(at)).toBe("program-b.json: /program_id: p is already the programme of program-a.json")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("an empty folder is refused", () =>
    Effect.gen(function* () {
      const at = yield* folder({ "readme.md": "" })
      expect(yield* messageAt(at)).toBe(`${at}: no program*.json in this folder`)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a path that is not there is refused by name", () =>
    Effect.gen(function* () {
      const at = yield* folder({})
      expect(yield* messageAt(`${at}/none.json`)).toBe(`${at}/none.json: there is no such file or folder`)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a byte order mark is no fault", () =>
    Effect.gen(function* () {
      const at = yield* folder({ "program.json": `\uFEFF${text()}` })
      expect((yield* programsAt(at)).length).toBe(1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("tests give programmes of their own", () =>
    Effect.gen(function* () {
      const programs = yield* Programs
      expect(programs.get("p")?.primaryUnit).toBe("points")
      expect(programs.get("other")).toBeUndefined()
    }).pipe(Effect.provide(Programs.layerFrom([program()])))
  )
})
