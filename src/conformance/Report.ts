/** Renders a report as text, JSON and JUnit XML. */
import type { CheckOutcome } from "./CheckOutcome.ts"
import { display, withoutContext } from "./Probe.ts"
import type { Report } from "./Verify.ts"

const counts = ({ outcomes }: Report) => ({
  ok: outcomes.filter(({ status }) => status === "ok").length,
  differs: outcomes.filter(({ status }) => status === "differs").length,
  skipped: outcomes.filter(({ status }) => status === "skipped").length
})

/** 0: no differences, 1: differences, 2: could not run. */
export const exitCode = (report: Report): number =>
  report.stopped !== undefined ? 2 : counts(report).differs > 0 ? 1 : 0

/** The body that was sent, without its context, unless it has nothing else. */
const shownBody = (sent: unknown): string => {
  if (sent === undefined) return ""
  const text = display(withoutContext(sent))
  return ` ${text === "{}" ? display(sent) : text}`
}

/** Escapes control characters: answers contain text of the host, which must not control the terminal. */
const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

const labels = { ok: "ok     ", differs: "DIFFERS", skipped: "skipped" } as const

const linesOf = (outcome: CheckOutcome, idWidth: number): ReadonlyArray<string> => {
  const { advice, differences, id, level, note, rule, status, title } = outcome
  const shown = note === undefined ? title : `${title} (${note})`
  const lines = [`${labels[status]}  ${id.padEnd(idWidth)}  ${shown}`]
  if (status !== "differs") return lines
  lines.push(`         rule      ${rule}${level === "strict" ? " (strict)" : ""}`)
  for (const { expected, got, request, sent } of differences) {
    if (request !== "") lines.push(`         request   ${request}${shownBody(sent)}`)
    lines.push(`         expected  ${expected}`, `         got       ${got}`)
  }
  if (advice !== undefined) lines.push(`         advice    ${advice}`)
  return lines
}

/** One line for each outcome, its differences below it, and a summary at the end. */
export const text = (report: Report): string => {
  const idWidth = Math.max(0, ...report.outcomes.map(({ id }) => id.length))
  const lines = report.outcomes.flatMap((outcome) => linesOf(outcome, idWidth))
  const { differs, ok, skipped } = counts(report)
  const parts = [`${ok} ok`, `${differs} differ`, `${skipped} skipped`].join(", ")
  const seconds = (report.took_ms / 1_000).toFixed(1)
  const about = [
    report.url,
    ...(report.program_id === undefined ? [] : [`programme ${report.program_id}`]),
    ...(report.seed === undefined ? [] : [`seed ${report.seed}`])
  ].join(", ")
  lines.push("", `${about}: ${parts} in ${seconds} s`)
  if (report.stopped !== undefined) lines.push(`Stopped early: ${report.stopped}`)
  return `${lines.map(printable).join("\n")}\n`
}

export const json = (report: Report): string =>
  JSON.stringify({ ...report, ...counts(report), exit_code: exitCode(report) }, undefined, 2)

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** XML cannot represent most control characters, so they are escaped first. */
const xml = (value: string): string => printable(value).replace(/[&<>"]/g, (character) => entities[character] ?? "")

const seconds = (ms: number): string => (ms / 1_000).toFixed(3)

const testcase = (outcome: CheckOutcome): string => {
  const { differences, id, note, rule, status, title, tookMs } = outcome
  const topic = id.split(/[./]/)[0] ?? id
  const open = `    <testcase classname="${xml(topic)}" name="${xml(`${id}: ${title}`)}" time="${seconds(tookMs)}"`
  if (status === "ok") return `${open}/>`
  if (status === "skipped") return `${open}><skipped message="${xml(note ?? "")}"/></testcase>`
  const [first] = differences
  const details = differences.map(({ expected, got, request, sent }) =>
    [`request: ${request}${sent === undefined ? "" : ` ${display(sent)}`}`, `expected: ${expected}`, `got: ${got}`]
      .map(xml)
      .join("\n")
  )
  const message = xml(`expected ${first?.expected ?? ""}, got ${first?.got ?? ""}`)
  return `${open}><failure message="${message}" type="${xml(rule)}">${details.join("\n\n")}</failure></testcase>`
}

/** One test suite with one test case for each outcome; a stop is an error of its own. */
export const junit = (report: Report): string => {
  const { differs, ok, skipped } = counts(report)
  const errors = report.stopped === undefined ? 0 : 1
  const attributes = [
    `name="lotbook ${xml(report.url)}"`,
    `tests="${ok + differs + skipped + errors}"`,
    `failures="${differs}"`,
    `errors="${errors}"`,
    `skipped="${skipped}"`,
    `time="${seconds(report.took_ms)}"`,
    `timestamp="${report.started_at}"`
  ].join(" ")
  const stopped =
    report.stopped === undefined
      ? []
      : [`    <testcase classname="run" name="run"><error message="${xml(report.stopped)}"/></testcase>`]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite ${attributes}>`,
    ...report.outcomes.map(testcase),
    ...stopped,
    "  </testsuite>",
    "</testsuites>",
    ""
  ].join("\n")
}
