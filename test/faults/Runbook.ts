/** Log and alerts of a fault, held against the guides that an operator reads then. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { LogEvent } from "../../src/base/metrics/LogEvent.ts"
import { logEvents } from "../../src/base/metrics/LogEvent.ts"
import type { Series } from "../app/operations/PromQl.ts"
import { evaluate } from "../app/operations/PromQl.ts"
import { rules } from "../app/operations/Rules.ts"
import type { Service } from "./Service.ts"

const docs = path.join(import.meta.dirname, "..", "..", "src", "docs")

/** Minutes for which a scraped value is taken to have stood. */
const minutes = 11

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]))

/** Series in Prometheus of a service whose metrics have long been as they are now. */
const scraped = async (service: Service): Promise<ReadonlyArray<Series>> => {
  const answer = await service.get("/metrics")
  if (answer?.status !== 200) throw new Error(`/metrics: ${answer?.status ?? "no answer"}`)
  const of = { job: "lotbook", environment: "live", instance: `127.0.0.1:${service.port}` }
  return [...answer.text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value]) => ({
    labels: { ...labelsOf(labels), ...of, __name__: name },
    values: Array.from({ length: minutes }, () => Number(value))
  }))
}

/** Faults, if the alert does not fire by what the service serves now. */
export const firing = async (service: Service, alert: string): Promise<ReadonlyArray<string>> => {
  const rule = rules.get(alert)
  if (rule === undefined) throw new Error(`there is no alert ${alert}`)
  return evaluate(rule.query, await scraped(service)).length > 0 ? [] : [`${alert} does not fire`]
}

/** True if a line says why: by an event that the guide lists, or by its cause. */
const isExplained = (line: string): boolean => {
  const { annotations, cause } = JSON.parse(line) as {
    readonly annotations?: Readonly<Record<string, unknown>>
    readonly cause?: unknown
  }
  const listed: ReadonlySet<unknown> = new Set(logEvents)
  return listed.has(annotations?.["event"]) || cause !== undefined
}

/**
 * Watches the log from now on. `faults`: each of the events was logged and the alert's page names it, and every warning
 * says why.
 */
export const listen = (service: Service) => {
  const [seen, warned] = [service.eventNames.length, service.warnings.length]
  return {
    faults: (alert: string, events: ReadonlyArray<LogEvent>): ReadonlyArray<string> => {
      const logged = new Set(service.eventNames.slice(seen))
      const page = fs.readFileSync(path.join(docs, "runbook", `${rules.get(alert)?.page ?? ""}.md`), "utf8")
      return [
        ...events.filter((event) => !logged.has(event)).map((event) => `the log has no ${event}`),
        ...events
          .filter((event) => !page.includes(event))
          .map((event) => `the page of ${alert} does not name ${event}`),
        ...service.warnings
          .slice(warned)
          .filter((line) => !isExplained(line))
          .map((line) => `the log warns without a reason: ${line.slice(0, 300)}`)
      ]
    }
  }
}
