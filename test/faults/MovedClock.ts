/**
 * Preloaded into a process (`--import`) whose clock a test moves. The file named by
 * MOVED_CLOCK holds by how much, ms; SIGUSR2 makes the process read it again. The
 * monotonic clock goes on as it is, as after a real change of the machine's clock.
 */
import * as fs from "node:fs"

const file = process.env["MOVED_CLOCK"] ?? ""
const real = globalThis.Date
let byMs = 0

const read = (): void => {
  byMs = Number(fs.readFileSync(file, "utf8"))
}

class MovedDate extends real {
  constructor(...given: ReadonlyArray<unknown>) {
    // @ts-expect-error: passes on whatever the caller gave.
    super(...(given.length === 0 ? [real.now() + byMs] : given))
  }

  static override now(): number {
    return real.now() + byMs
  }
}

if (file !== "") {
  read()
  process.on("SIGUSR2", read)
  globalThis.Date = MovedDate as DateConstructor
}
