/** Lists that a move writes: files of CSV that their user alone may read. */
import { Effect } from "effect"
import * as fs from "node:fs"
import { csvLine } from "../../contract/Csv.ts"
import type { Fault, FaultName } from "./Faults.ts"
import { kindOf } from "./Faults.ts"
import type { Left } from "./Run.ts"

/** Characters that wait for a write. */
const waitingLength = 64 * 1024

class ListFile {
  private waiting: Array<string> = []
  private length = 0
  private readonly fd: number

  constructor(file: string, header: ReadonlyArray<string>) {
    fs.rmSync(file, { force: true })
    this.fd = fs.openSync(file, "wx", 0o600)
    this.write(header)
  }

  write(cells: ReadonlyArray<string>): void {
    const line = csvLine(cells)
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
export const make = (file: string, header: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => new ListFile(file, header)),
    (list) => Effect.sync(() => list.close())
  )

/** The list of faults, which counts them by name. */
export const faults = (file: string) =>
  Effect.map(make(file, ["fault", "file", "row", "column", "detail", "remedy", "if_waived"]), (list) => {
    const counts = new Map<FaultName, number>()
    const report = ({ column, detail, file, name, row }: Fault): void => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      const { remedy, waived = "It cannot be waived." } = kindOf(name)
      list.write([name, file, row === 0 ? "" : String(row), column, detail, remedy, waived])
    }
    return { counts, report }
  })

/** The list of what a run left. */
export const left = (file: string) =>
  Effect.map(
    make(file, [
      "code",
      "file",
      "row",
      "unit",
      "moved",
      "listed",
      "earned_before",
      "spent_before",
      "member_id",
      "reason",
      "remedy"
    ]),
    (list) =>
      ({ code, earned, file, listed, member, moved, reason, remedy, row, spent, unit }: Left): void =>
        list.write([
          code,
          file,
          row === 0 ? "" : String(row),
          unit,
          moved,
          listed,
          earned,
          spent,
          member,
          reason,
          remedy
        ])
  )
