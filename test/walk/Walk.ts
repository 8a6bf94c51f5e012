/** The way of a request through the house: the functions that it runs, in the order of their first calls. */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Folders from "../Folders.ts"
import * as TestPostgres from "../TestPostgres.ts"
import type { FunctionAt } from "./Messages.ts"
import * as Served from "./Served.ts"
import { enrolled, type Once, prepared, type Scene, type Way } from "./Ways.ts"

/** A function on the way, by its line from 1. */
export interface Step {
  /** Below `src`. */
  readonly file: string
  /** Empty for a function without a name. */
  readonly name: string
  readonly line: number
}

/** Requests beforehand, after which no module is loaded and no cache filled. */
const warmed = 3
/** Requests that are looked at: whatever the service does by itself does not run during each. */
const looked = 10
/** Pause before each of them, in which the service ends what follows from the one before, ms. */
const restMs = 300
/** Pause between looks for the second node, ms. */
const lookMs = 100

const keyOf = ({ name, start, url }: FunctionAt): string => `${url} ${start} ${name}`

/** The functions that are in all lists, in the order of the shortest one. */
const inAll = (lists: ReadonlyArray<ReadonlyArray<FunctionAt>>): ReadonlyArray<FunctionAt> => {
  const keys = lists.map((list) => new Set(list.map(keyOf)))
  const [shortest = []] = lists.toSorted((a, b) => a.length - b.length)
  return shortest.filter((one) => keys.every((some) => some.has(keyOf(one))))
}

const stepOf =
  (source: string) =>
  ({ name, start, url }: FunctionAt): Step => {
    const file = fileURLToPath(url)
    const line = fs.readFileSync(file, "utf8").slice(0, start).split("\n").length
    return { file: path.relative(source, file), name, line }
  }

const walkOf = async (service: Served.Served, once: Once, source: string): Promise<ReadonlyArray<Step>> => {
  const seen: Array<ReadonlyArray<FunctionAt>> = []
  for (let n = 0; n < looked; n++) {
    await setTimeout(restMs)
    seen.push(await service.during(once))
  }
  return inAll(seen).map(stepOf(source))
}

/** The ways through the nodes that a request meets, the one that was asked first. */
export const walk = async (way: Way, checkout: string): Promise<ReadonlyArray<ReadonlyArray<Step>>> => {
  const source = path.join(checkout, "src")
  const [file = ""] = fs.globSync("**/program.demo.json", { cwd: source })
  const programs = path.join(source, file)
  const folder = Folders.make("lotbook-walk-")
  const watcher = TestPostgres.watch(folder)
  const { clientConfig, stop } = await TestPostgres.start(folder)
  const services: Array<Served.Served> = []
  try {
    const nodes = way === "forwarded" ? 2 : 1
    while (services.length < nodes)
      services.push(await Served.start(checkout, TestPostgres.urlOf(clientConfig), programs))
    const [service, ...further] = services
    for (const one of services) while ((await one.nodes()) < nodes) await setTimeout(lookMs)
    const query = (statement: string) => Effect.runPromise(TestPostgres.query(clientConfig, statement))
    const program = JSON.parse(fs.readFileSync(programs, "utf8")) as Scene["program"]
    const scene: Scene = { service: service!, further, program, query }
    await enrolled(scene)
    const once = await prepared[way](scene)
    for (let n = 0; n < warmed; n++) await once()
    const steps: Array<ReadonlyArray<Step>> = []
    for (const one of services) steps.push(await walkOf(one, once, source))
    return steps
  } finally {
    await Promise.all(services.map((one) => one.stop()))
    await stop()
    fs.rmSync(folder, { recursive: true, force: true })
    watcher.stdin.end()
  }
}
