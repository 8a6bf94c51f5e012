/** Gathers the report of a run: its files, what became of guests, faults and what is left (contract/moving.md *Runs*). */
import type { MoveFault, MoveRunReport } from "../../contract/admin/MoveRuns.ts"
import { maxDetailLength, maxFiles, maxListed, maxNameLength } from "../../contract/admin/MoveRuns.ts"
import type { Fault } from "./Faults.ts"
import { kindOf } from "./Faults.ts"
import type { Planned } from "./Plan.ts"
import type { Left, Ran } from "./Run.ts"

/** The first characters of a text, as the contract counts them: what it cannot carry would refuse the whole report. */
const cut = (text: string, most: number): string =>
  Array.from(text.toWellFormed().replaceAll("\u0000", "\uFFFD")).slice(0, most).join("")

const nameOf = (name: string): string => cut(name, maxNameLength)

const faultOf = ({ column, detail, file, name, row }: Fault): MoveFault => ({
  name,
  file: nameOf(file),
  ...(row === 0 ? undefined : { row }),
  ...(column === "" ? undefined : { column: nameOf(column) }),
  detail: cut(detail, maxDetailLength),
  remedy: kindOf(name).remedy
})

const leftOf = ({ code, file, listed, moved, reason, remedy, row, unit }: Left): MoveFault => {
  const place = { name: code, file: nameOf(file), row, remedy }
  return code === "difference"
    ? { ...place, detail: `Of a lot, ${moved} ${unit} were moved; the file has ${listed}.` }
    : { ...place, detail: reason }
}

/** Faults and what is left, as they are found. */
export class RunLog {
  private readonly counts = new Map<string, number>()
  private readonly faults: Array<MoveFault> = []
  private readonly rest: Array<MoveFault> = []
  private readonly files: ReadonlyArray<string>
  private readonly waived: ReadonlySet<string>

  /** `files`: their names without folders. `waived`: names of faults. */
  constructor(files: ReadonlyArray<string>, waived: ReadonlySet<string>) {
    this.files = files.slice(0, maxFiles).map(nameOf)
    this.waived = waived
  }

  readonly fault = (fault: Fault): void => this.add(faultOf(fault), this.faults)
  readonly left = (left: Left): void => this.add(leftOf(left), this.rest)

  private add(fault: MoveFault, to: Array<MoveFault>): void {
    this.counts.set(fault.name, (this.counts.get(fault.name) ?? 0) + 1)
    if (to.length < maxListed) to.push(fault)
  }

  /** The report so far. What is left comes before faults, which may be many and waived; both are listed at the end alone. */
  report(
    { figures: { guests }, rows }: Planned,
    { outcomes, posted }: Pick<Ran, "outcomes" | "posted">,
    ended?: MoveRunReport["ended"]
  ): MoveRunReport {
    return {
      files: this.files,
      rows,
      guests,
      outcomes,
      lots: posted,
      fault_counts: [...this.counts].map(([name, count]) => ({
        name,
        count,
        ...(this.waived.has(name) ? { waived: true as const } : undefined)
      })),
      ...(ended === undefined ? undefined : { ended }),
      faults: ended === undefined ? [] : [...this.rest, ...this.faults].slice(0, maxListed)
    }
  }
}
