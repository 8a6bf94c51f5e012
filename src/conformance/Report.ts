/** A report as lines for people, as JSON, as JUnit XML. */
import type { Outcome } from "./Outcome.ts"
import { rest, told } from "./Probe.ts"
import type { Report } from "./Verify.ts"

export const counts = ({ outcomes }: Report) => ({
  ok: outcomes.filter(({ status }) => status === "ok").length,
  differs: outcomes.filter(({ status }) => status === "differs").length,
  skipped: outcomes.filter(({ status }) => status === "skipped").length
})

/** 0 all holds, 1 something differs, 2 it could not run. */
export const exitCode = (report: Report): number =>
  report.stopped !== undefined ? 2 : counts(report).differs > 0 ? 1 : 0

/** What was sent, for people: the context is the same in every request, save where it is all there is. */
const shownBody = (sent: unknown): string => {
  if (sent === undefined) return ""
  const text = told(rest(sent))
  return ` ${text === "{}" ? told(sent) : text}`
}

/** Text on one line that does nothing to a terminal: answers hold whatever a host sends. */
const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

const labels = { ok: "ok     ", differs: "DIFFERS", skipped: "skipped" } as const

const linesOf = (outcome: Outcome, idWidth: number): ReadonlyArray<string> => {
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

/** A line for each outcome, with what differs below it, and a summary at the end. */
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
  if (report.stopped !== undefined) lines.push(`Could not run to the end: ${report.stopped}`)
  return `${lines.map(printable).join("\n")}\n`
}

export const json = (report: Report): string =>
  JSON.stringify({ ...report, ...counts(report), exit_code: exitCode(report) }, undefined, 2)

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** XML has no way to write most control characters; answers may hold them. */
const xml = (value: string): string => printable(value).replace(/[&<>"]/g, (character) => entities[character] ?? "")

const seconds = (ms: number): string => (ms / 1_000).toFixed(3)

const testcase = (outcome: Outcome): string => {
  const { differences, id, note, rule, status, title, tookMs } = outcome
  const topic = id.split(/[./]/)[0] ?? id
  const open = `    <testcase classname="${xml(topic)}" name="${xml(`${id}: ${title}`)}" time="${seconds(tookMs)}"`
  if (status === "ok") return `${open}/>`
  if (status === "skipped") return `${open}><skipped message="${xml(note ?? "")}"/></testcase>`
  const [first] = differences
  const details = differences.map(({ expected, got, request, sent }) =>
    [`request: ${request}${sent === undefined ? "" : ` ${told(sent)}`}`, `expected: ${expected}`, `got: ${got}`]
      .map(xml)
      .join("\n")
  )
  const message = xml(`expected ${first?.expected ?? ""}, got ${first?.got ?? ""}`)
  return `${open}><failure message="${message}" type="${xml(rule)}">${details.join("\n\n")}</failure></testcase>`
}

/** One test suite with a test case an outcome; what stopped the run is an error of its own. */
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
