/** `npm run walk -- accrual`: prints the way of a request through the house. */
import * as path from "node:path"
import { parseArgs } from "node:util"
import { type Step, walk } from "./Walk.ts"
import { type Way, ways } from "./Ways.ts"

const help = `npm run walk -- ${ways.join("|")} [options]

Prints the files and functions that one request runs through, in the order of their first calls, with their lines. The
service runs from its sources, on an embedded PostgreSQL in a temporary folder, and has answered such requests before.
Functions without a name stand as their line alone. What the service does by itself is left out.

  accrual    points for a paid order
  evaluate   the points that an order would earn
  publish    a version of a programme
  campaign   a run that credits one member
  delivery   an accrual, and its event on the way to a receiver
  gift       points from somebody who is signed in
  forwarded  an accrual of a member that another node owns: first the node that is asked, then the owner

  --in DIR   walks through the service of another checkout
  --files    files alone
  --help     this text
`

/** The steps as lines: a file whenever another one goes on, and its functions. */
const linesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let last = ""
  for (const { file, line, name } of steps) {
    if (file !== last) lines.push(file)
    lines.push(name === "" ? `  :${line}` : `  ${name}:${line}`)
    last = file
  }
  return lines
}

const print = (...lines: ReadonlyArray<string>): void => {
  process.stdout.write(`${lines.join("\n")}\n`)
}

const printWay = (steps: ReadonlyArray<Step>, isBrief: boolean): void => {
  const files = [...new Set(steps.map(({ file }) => file))]
  print(...(isBrief ? files : linesOf(steps)), `${files.length} files, ${steps.length} functions`)
}

const isWay = (text: string | undefined): text is Way => (ways as ReadonlyArray<string | undefined>).includes(text)

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { in: { type: "string" }, files: { type: "boolean" }, help: { type: "boolean" } }
})
const [way] = positionals
if (values.help === true) print(help)
else if (!isWay(way) || positionals.length > 1) {
  process.stderr.write(`${help}\n`)
  process.exitCode = 2
} else {
  const checkout = path.resolve(values.in ?? path.join(import.meta.dirname, "..", ".."))
  for (const steps of await walk(way, checkout)) printWay(steps, values.files === true)
}
