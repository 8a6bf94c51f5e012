/** Programmes for tests. */
import { Result } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Program } from "../../core/rules/Program.ts"
import * as ProgramFile from "../../core/rules/ProgramFile.ts"

/** Decodes a programme file's JSON; throws with every fault and its place. */
export const programOf = (json: unknown): Program =>
  Result.getOrThrowWith(
    ProgramFile.validate(json),
    (faults) => new Error(faults.map((fault) => `${fault.path}: ${fault.message}`).join("\n"))
  )

/** The demo programme. */
export const demoProgram: Program = programOf(
  JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "..", "demo", "program.demo.json"), "utf8"))
)
