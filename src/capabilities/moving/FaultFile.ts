/** The list of faults: a file of CSV that its user alone may read, beside counts by name. */
import { Effect } from "effect"
import * as fs from "node:fs"
import { csvLine } from "../../contract/Csv.ts"
import type { Fault, FaultName } from "./Faults.ts"
import { kindOf } from "./Faults.ts"

/** Characters that wait for a write. */
const waitingLength = 64 * 1024

class FaultFile {
  readonly counts = new Map<FaultName, number>()
  private waiting: Array<string> = []
  private length = 0
  private readonly fd: number

  constructor(file: string) {
    fs.rmSync(file, { force: true })
    this.fd = fs.openSync(file, "wx", 0o600)
    this.write(csvLine(["fault", "file", "row", "column", "detail", "remedy", "if_waived"]))
  }

  readonly report = ({ column, detail, file, name, row }: Fault): void => {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    const { remedy, waived = "It cannot be waived." } = kindOf(name)
    this.write(csvLine([name, file, row === 0 ? "" : String(row), column, detail, remedy, waived]))
  }

  private write(line: string): void {
    this.waiting.push(line)
    this.length += line.length
    if (this.length >= waitingLength) this.flush()
  }

  private flush(): void {
    fs.writeSync(this.fd, this.waiting.join(""))
    this.waiting = []
    this.length = 0
  }

  close(): void {
    this.flush()
    fs.closeSync(this.fd)
  }
}

/** An empty list, which is whole once the scope closes. */
export const make = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new FaultFile(file)),
    (list) => Effect.sync(() => list.close())
  )
