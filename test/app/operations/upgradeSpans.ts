/**
 * By hand: a database of the newest release is upgraded under load. Then spans are begun, archived and restored on it, and what
 * the README's *In production* promises is looked at.
 *
 *     npm run prepare && node test/app/operations/upgradeSpans.ts [accruals] [main.ts of the release]
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Built from "../../Built.ts"
import { runFolder, until } from "../../faults/Processes.ts"
import { Service } from "../../faults/Service.ts"
import * as TestPostgres from "../../TestPostgres.ts"
import { newestRelease, unpack } from "./Released.ts"
import { isPermitted, isSuccess, type Met, send } from "./Rolling.ts"

const callers = 32
const membersEach = 20
/** Every so many accruals a caller sends an old key again. */
const replayEvery = 50
const retryMs = 50
const amount = 1_000
const program_id = "demo-foodservice"

const say = (line: string) => process.stdout.write(`${line}\n`)
const since = (at: number) => `${((Date.now() - at) / 1000).toFixed(1)} s`

interface Sent {
  readonly member: string
  readonly order: string
  readonly body: object
  readonly answer: string
}

/** The answer to an accrual, without the request's own context. */
const givenBy = (text: string): string => {
  const { context: _, ...given } = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(given)
}

/** Callers that post accruals, and sometimes an old one again, at the services that are there. */
class Load {
  readonly sent: Array<Sent> = []
  readonly failures: Array<string> = []
  targets: ReadonlyArray<Service>
  lastAt = 0
  private goesOn = true
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: callers })
  private readonly running: Promise<unknown>

  constructor(target: Service) {
    this.targets = [target]
    this.running = Promise.all(Array.from({ length: callers }, (_, index) => this.caller(index)))
  }

  async end(): Promise<void> {
    this.goesOn = false
    await this.running
  }

  more(count: number): Promise<unknown> {
    const wanted = this.sent.length + count
    return until(`${count} more accruals`, () => this.sent.length >= wanted || this.failures.length > 0, 3_600_000, 50)
  }

  /** The answer's body, once there is one. */
  async ask(route: string, body: object): Promise<string> {
    for (let attempt = 0; this.failures.length === 0; attempt++) {
      const target = this.targets[attempt % this.targets.length]!
      const met = await send(this.agent, target.port, route, body).catch((error: unknown): Met => {
        // A killed service: the same key tells the outcome.
        if (!/ECONNRESET|socket hang up|EPIPE/.test(String(error))) this.failures.push(`${route}: ${String(error)}`)
        return "refused"
      })
      if (isSuccess(met)) {
        this.lastAt = Date.now()
        return met.body
      }
      if (!isPermitted(met)) this.failures.push(`${route}: ${JSON.stringify(met)}`)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
    return "{}"
  }

  private async caller(index: number): Promise<void> {
    const members = Array.from({ length: membersEach }, (_, one) => `guest-${index}-${one}`)
    for (const member_id of members) {
      const identity = { type: "loyalty_id", value: member_id }
      await this.ask("members/enroll", { context: Testing.context(), program_id, member_id, identity })
    }
    const own: Array<Sent> = []
    for (let count = 1; this.goesOn && this.failures.length === 0; count++) {
      const member = members[count % membersEach]!
      const order = `${member}-${count}`
      const body = {
        context: Testing.context(),
        member_id: member,
        order: Testing.order(order, amount, Testing.placedNow)
      }
      const sent = { member, order, body, answer: givenBy(await this.ask("accruals", body)) }
      own.push(sent)
      this.sent.push(sent)
      const old = own[Math.floor(Math.random() * own.length)]!
      if (count % replayEvery === 0 && givenBy(await this.ask("accruals", old.body)) !== old.answer)
        this.failures.push(`the key of ${old.order} has another answer than at first`)
    }
  }
}

/** Runs a command; its exit code and what it said. */
const lotbook = (url: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly said: string }>((resolve) => {
    const child = execFile(process.execPath, [Built.main, ...args, "--database-url", url], (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, said: `${out}${err}`.trim() })
    )
  })

const succeed = async (url: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const at = Date.now()
  const { code, said } = await lotbook(url, ...args)
  say(`lotbook ${args.slice(0, 2).join(" ")}: ${code} after ${since(at)}; ${said.split("\n").at(-1)}`)
  if (code !== 0) throw new Error(said)
}

interface LedgerPage {
  readonly entries: ReadonlyArray<{ readonly order_id?: string; readonly operation: string }>
  readonly next_cursor?: string
}

/** The orders of a member's accruals, page by page. */
const ordersOf = async (load: Load, member_id: string): Promise<ReadonlyArray<string>> => {
  const orders: Array<string> = []
  let more: object | undefined = {}
  while (more !== undefined) {
    const asked = { context: Testing.context(), program_id, member_id, limit: 100, ...more }
    const page = JSON.parse(await load.ask("ledger/list", asked)) as LedgerPage
    const accruals = page.entries.filter(({ operation }) => operation === "accrual")
    orders.push(...accruals.map(({ order_id = "" }) => order_id))
    more = page.next_cursor === undefined ? undefined : { cursor: page.next_cursor }
  }
  return orders
}

/** Every accrual that was acknowledged is in its member's entries, once, and nothing else. */
const compareEntries = async (load: Load): Promise<void> => {
  for (const [member, sent] of Map.groupBy(load.sent, (one) => one.member)) {
    const orders = (await ordersOf(load, member)).toSorted()
    if (
      orders.join() !==
      sent
        .map(({ order }) => order)
        .toSorted()
        .join()
    )
      throw new Error(`${member} has ${orders.length} accruals, ${sent.length} were acknowledged, and they differ`)
  }
}

const folderOf = (folder: string, name: string): string => {
  const own = path.join(folder, name)
  fs.mkdirSync(own)
  return own
}

/** Begins spans under load, archives three of them, and restores one. */
const spans = async (url: string, files: string, load: Load, query: (text: string) => Promise<unknown>) => {
  for (let begun = 0; begun < 4; begun++) {
    await succeed(url, "journal", "span")
    await load.more(2_000)
  }
  await succeed(url, "journal", "seal")
  await succeed(url, "journal", "rebuild")
  await succeed(url, "journal", "archive", "--before", "2999-01", "--to", files)
  await load.more(2_000)
  // Spans of one month would come back together.
  await query("UPDATE archived_spans SET month = '2001-01' WHERE span = 1")
  await succeed(url, "journal", "restore", "2001-01", "--from", files)
  await load.more(2_000)
}

/** One of two nodes is killed, the other goes on; then it stops in order. */
const production = async (url: string, folder: string, files: string, load: Load, second: Service) => {
  const flags = ["--database-url", url, "--archive", files]
  const third = await Service.start(folderOf(folder, "third"), flags)
  load.targets = [second, third]
  await load.more(2_000)
  const killedAt = Date.now()
  await second.kill()
  load.targets = [third]
  await third.returned()
  await until("an accrual after the kill", () => load.lastAt > killedAt + 500)
  say(`ready for all accounts ${since(killedAt)} after the kill of a node`)
  await load.more(2_000)
  await load.end()
  if (load.failures.length > 0) throw new Error(load.failures.slice(0, 5).join("\n"))
  await succeed(url, "journal", "verify", "--full", "--from", files)
  const at = Date.now()
  await compareEntries(load)
  say(`${load.sent.length} accruals, each once, read in ${since(at)}`)
  const stopAt = Date.now()
  const code = await third.stop()
  say(`SIGTERM: exit code ${code} after ${since(stopAt)}`)
}

const run = async (accruals: number, given: string | undefined): Promise<void> => {
  const { folder, remove } = runFolder()
  let server: Awaited<ReturnType<typeof TestPostgres.start>> | undefined
  try {
    const formerMain = given ?? unpack(newestRelease() ?? "HEAD~1", path.join(folder, "tree"))
    server = await TestPostgres.start(path.join(folder, "data"), 200)
    const url = TestPostgres.urlOf(server.clientConfig)
    const files = folderOf(folder, "archive")
    const first = await Service.start(folderOf(folder, "former"), ["--database-url", url], { main: formerMain })
    const load = new Load(first)
    const beganAt = Date.now()
    await load.more(accruals)
    say(`${load.sent.length} accruals with the former version in ${since(beganAt)}`)
    const joinAt = Date.now()
    const second = await Service.start(folderOf(folder, "next"), ["--database-url", url, "--archive", files])
    load.targets = [first, second]
    say(`the next version joined after ${since(joinAt)}`)
    await load.more(2_000)
    const stopped = first.stop()
    load.targets = [second]
    say(`the former version ended with ${await stopped}`)
    const { clientConfig } = server
    await spans(url, files, load, (text) => Effect.runPromise(TestPostgres.query(clientConfig, text)))
    await production(url, folder, files, load, second)
  } finally {
    await server?.stop()
    remove()
  }
}

await run(Number(process.argv[2] ?? 20_000), process.argv[3])
