/** Files of a move in tests, and a plan of them without a database. */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Fault } from "../../../src/capabilities/moving/Faults.ts"
import type * as Mapping from "../../../src/capabilities/moving/Mapping.ts"
import * as Plan from "../../../src/capabilities/moving/Plan.ts"
import type { GuestMoved, MoveIn } from "../../../src/contract/admin/MoveIn.ts"
import type { Program } from "../../../src/core/rules/Program.ts"

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-moving-"))

let folders = 0

/** Writes files, each by its name, into a folder of their own. */
export const written = (files: Readonly<Record<string, string | Uint8Array>>): ReadonlyArray<string> => {
  const own = path.join(folder, String(folders++))
  fs.mkdirSync(own)
  return Object.entries(files).map(([name, content]) => {
    const file = path.join(own, name)
    fs.writeFileSync(file, content)
    return file
  })
}

/** The moment of plans. */
const now = Date.parse("2026-07-14T10:00:00Z")

export const mappingOf = (...files: ReadonlyArray<Mapping.FileMapping>): Mapping.Mapping => ({ version: 1, files })

const fresh: GuestMoved = { outcome: "enrolled", posted: 0, faults: [], differences: [] }

/** A plan where nobody is a member yet: its figures, and its faults as `name file:row column`. */
export const planned = (
  files: Readonly<Record<string, string | Uint8Array>>,
  mapping?: Mapping.Mapping,
  program: Program = Testing.demoProgram
) =>
  Effect.gen(function* () {
    const faults: Array<Fault> = []
    const send = ({ guests }: MoveIn) => Effect.succeed({ dry_run: true as const, guests: guests.map(() => fresh) })
    const report = (fault: Fault) => void faults.push(fault)
    const { figures, leftOut, rows } = yield* Plan.plan(written(files), mapping, { program, now, send, report })
    return {
      ...{ rows, figures, leftOut, details: faults },
      faults: faults.map(({ column, file, name, row }) => `${name} ${file}:${row} ${column}`.trim())
    }
  }).pipe(Effect.scoped)
