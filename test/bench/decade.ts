/**
 * The first year beside the tenth: `node test/bench/decade.ts [--orders 30000] [--members 3000] [--years 10] [--turns 5]
 * [--folder DIR]`.
 *
 * Two databases have as many orders in the present span. One has nothing else; the other has the orders of the years before,
 * of the same members, in files. Each is asked the same in turns by a service that `npm run prepare` must have built, and the
 * medians are printed with their ratio.
 */
import { Effect } from "effect"
import { execFile, execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import * as Built from "../Built.ts"
import { Service } from "../faults/Service.ts"
import * as TestPostgres from "../TestPostgres.ts"
import { composers, type Kind, programId } from "./Bodies.ts"
import { adminKey, cpuSeconds, token } from "./Processes.ts"
import { spread } from "./Spread.ts"

const { values } = parseArgs({
  options: {
    orders: { type: "string" },
    members: { type: "string" },
    years: { type: "string" },
    turns: { type: "string" },
    folder: { type: "string" }
  }
})
const orders = Number(values.orders ?? 30_000)
const members = Number(values.members ?? 3_000)
const years = Number(values.years ?? 10)
const turns = Number(values.turns ?? 5)
const folder = path.resolve(values.folder ?? fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-decade-")))
const generator = path.join(import.meta.dirname, "generate.ts")
/** Requests of a kind in a turn, each of another member that the service does not hold yet. */
const asked = 40
/** A service that uses less CPU than this share over so many looks has caught up with its figures, and expired what was due. */
const idleShare = 0.05
const idleLooks = 5
const lookMs = 2_000
/** Guests who order as a node is killed. */
const takenOver = 8

const say = (text: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** Milliseconds that something took. */
const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const run = (...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], (error, out, err) => {
      if (error === null) resolve(out)
      else reject(new Error(`${args.slice(0, 4).join(" ")}: ${out}${err}`))
    })
  })

/** Every member is asked for once, in an order of its own for each database. */
class Strangers {
  private next = 1
  take(): string {
    if (this.next > members) throw new Error("there are too few members for so many turns")
    return `m-${this.next++}`
  }
}

class World {
  readonly figures = new Map<string, Array<number>>()
  readonly name: string
  readonly url: string
  readonly archive: string
  private readonly own: string
  private readonly config: TestPostgres.Config
  private readonly strangers = new Strangers()
  private service: Service | undefined
  private count = 0

  private constructor(name: string, own: string, config: TestPostgres.Config) {
    this.name = name
    this.own = own
    this.config = config
    this.url = TestPostgres.urlOf(config)
    this.archive = path.join(own, "archive")
  }

  static async make(name: string, spans: number): Promise<World> {
    const own = path.join(folder, name)
    fs.mkdirSync(path.join(own, "archive"), { recursive: true })
    const data = path.join(own, "data")
    TestPostgres.watch(data)
    const { clientConfig } = await TestPostgres.start(data, 200)
    const world = new World(name, own, clientConfig)
    const of = ["--accounts", String(members), "--entries", String(orders * spans), "--spans", String(spans)]
    const made = await run(generator, "--database-url", world.url, ...of)
    say(`${name}: ${made.trim()}`)
    return world
  }

  query(statement: string) {
    return Effect.runPromise(TestPostgres.query(this.config, statement))
  }

  journal(...args: ReadonlyArray<string>): Promise<string> {
    return run(Built.main, "journal", ...args, "--database-url", this.url)
  }

  note(what: string, ms: number): void {
    const all = this.figures.get(what) ?? []
    this.figures.set(what, all)
    all.push(ms)
  }

  async start(): Promise<Service> {
    const own = fs.mkdtempSync(path.join(this.own, "service-"))
    const flags = ["--database-url", this.url, "--archive", this.archive, "--token", token, "--admin-key", adminKey]
    return Service.start(own, flags)
  }

  async begin(): Promise<void> {
    this.note(
      "start of a service",
      await timed(async () => {
        this.service = await this.start()
      })
    )
  }

  /** Lets a service catch up with what was generated. */
  async settle(): Promise<void> {
    const service = await this.start()
    const { pid } = service
    const began = performance.now()
    let before = cpuSeconds(pid)
    for (let looks = 0; looks < idleLooks; ) {
      await new Promise((resolve) => setTimeout(resolve, lookMs))
      const now = cpuSeconds(pid)
      looks = now - before < (idleShare * lookMs) / 1_000 ? looks + 1 : 0
      before = now
    }
    say(`${this.name}: caught up in ${seconds(performance.now() - began)}`)
    await service.stop()
  }

  /** A second node takes over from one that is killed. */
  async takeOver(): Promise<void> {
    const first = this.service
    const second = await this.start()
    // Of so many, some were the killed node's.
    const those = Array.from({ length: takenOver }, () => this.strangers.take())
    this.note(
      `orders of ${takenOver} guests after kill -9 of one of two nodes`,
      await timed(async () => {
        await first?.kill()
        this.service = second
        for (const member of those) await this.ask("accrual.post", member, `taken-over-${member}`, true)
      })
    )
  }

  /** Answers of a request, which is sent again while a node that was killed still owns the guest. */
  private async ask(kind: Kind, member: string, order: string, isAgain = false): Promise<unknown> {
    const key = `decade-${this.name}-${this.count++}`
    const [head = "", body = ""] = composers(token)[kind]({ key, member, order, other: key }).split("\r\n\r\n")
    const route = head.split(" ")[1] ?? ""
    for (;;) {
      const answer = await this.fetch(route, "POST", body)
      const text = await answer.text()
      if (answer.ok) return JSON.parse(text)
      if (!isAgain || answer.status !== 503) throw new Error(`${kind} of ${member}: ${text}`)
    }
  }

  private fetch(route: string, method: string, body?: string): Promise<Response> {
    const bearer = route.startsWith("/admin") ? adminKey : token
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" }
    return fetch(`http://127.0.0.1:${this.service?.port}${route}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body })
    })
  }

  /** The same request of strangers, one after another; `oldest`: of the first order that she had. */
  private async each(what: string, kind: Kind, isOldest = false): Promise<void> {
    for (let index = 0; index < asked; index++) {
      const member = this.strangers.take()
      const order = isOldest ? `${member}-0` : `new-${member}`
      this.note(what, await timed(() => this.ask(kind, member, order)))
    }
  }

  private async read(what: string, route: string): Promise<void> {
    const took = await timed(async () => {
      const answer = await this.fetch(route, "GET")
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${route}: ${text}`)
    })
    this.note(what, took)
  }

  async turn(): Promise<void> {
    await this.each("order of a guest who is not in memory", "accrual.post")
    await this.each("balance of a guest who is not in memory", "account.get")
    await this.each("reservation of a guest who is not in memory", "redemption.reserve")
    await this.each("refund of a guest's oldest order", "order.adjust", true)
    await this.each("a guest's newest ten entries", "ledger.list")
    await this.all()
    await this.read("list of members", "/admin/api/v1/members?limit=50")
    await this.read("overview", "/admin/api/v1/overview")
    await this.read("analytics of 28 days", `/platform/v1/analytics?program_id=${programId}`)
  }

  /** Every entry of a guest, page by page. */
  private async all(): Promise<void> {
    const member = this.strangers.take()
    let entries = 0
    const took = await timed(async () => {
      let cursor: string | undefined
      do {
        const key = `decade-${this.name}-${this.count++}`
        const [, text = "{}"] = composers(token)["ledger.list"]({ key, member, order: "", other: "" }).split("\r\n\r\n")
        const body = JSON.stringify({ ...JSON.parse(text), limit: 100, ...(cursor === undefined ? {} : { cursor }) })
        const answer = await this.fetch("/proto/v1/ledger/list", "POST", body)
        if (!answer.ok) throw new Error(`ledger of ${member}: ${await answer.text()}`)
        const page = (await answer.json()) as { entries: ReadonlyArray<unknown>; next_cursor?: string }
        entries += page.entries.length
        cursor = page.next_cursor
      } while (cursor !== undefined)
    })
    this.note("a hundred of a guest's entries, page by page", (took / Math.max(1, entries)) * 100)
  }

  async stop(): Promise<void> {
    await this.service?.stop()
    this.service = undefined
  }

  /** An operator's chores of a day or a month, with no service beside. */
  async chores(): Promise<void> {
    this.note("journal verify", await timed(() => this.journal("verify")))
    const tables = ["journal", "ledger_entries", "accounts", "claims"]
    for (const table of tables) this.note(`vacuum of ${table}`, await timed(() => this.query(`VACUUM ${table}`)))
  }
}

const print = (first: World, tenth: World): void => {
  for (const [what, ms] of first.figures) {
    const one = spread(ms)?.median ?? Number.NaN
    const other = spread(tenth.figures.get(what) ?? [])?.median ?? Number.NaN
    say(
      `${what}: ${one.toFixed(1)} ms, with ${years - 1} years in files ${other.toFixed(1)} ms: ${(other / one).toFixed(2)}`
    )
  }
}

const spanWork = async (world: World): Promise<void> => {
  // Months are archived once figures and finance have counted them; the generator counts nothing.
  say(`figures made in ${seconds(await timed(() => world.journal("rebuild")))}`)
  const took = {
    seal: await timed(() => world.journal("seal")),
    archive: await timed(() => world.journal("archive", "--before", "2999-01", "--to", world.archive))
  }
  const [row] = await world.query(
    "SELECT count(*)::int AS spans, pg_database_size(current_database())::float8 AS bytes FROM archived_spans"
  )
  const files = execFileSync("du", ["-sb", world.archive], { encoding: "utf8" }).split("\t")[0]
  const sizes = `files ${Math.round(Number(files) / 1e6)} MB, database ${Math.round(Number(row?.["bytes"]) / 1e6)} MB`
  say(
    `${years - 1} spans sealed in ${seconds(took.seal)}, ${String(row?.["spans"])} archived in ${seconds(took.archive)}; ${sizes}`
  )
}

/** The oldest span comes back, and goes again. */
const restoreWork = async (world: World): Promise<void> => {
  // Spans of one month would come back together.
  await world.query("UPDATE archived_spans SET month = '2001-01' WHERE span = 0")
  const restored = await timed(() => world.journal("restore", "2001-01", "--from", world.archive))
  const archived = await timed(() => world.journal("archive", "--before", "2999-01", "--to", world.archive))
  const full = await timed(() => world.journal("verify", "--full", "--from", world.archive))
  say(`restore of one span ${seconds(restored)}, archive again ${seconds(archived)}, verify --full ${seconds(full)}`)
}

say(
  `${orders} orders of ${members} members live; ${years - 1} times as many in files; ${environmentName("ARCHIVE")} is set`
)
const tenth = await World.make("tenth", years)
await spanWork(tenth)
const first = await World.make("first", 1)
for (const world of [first, tenth]) await world.settle()
for (let turn = 0; turn < turns; turn++)
  for (const world of turn % 2 === 0 ? [first, tenth] : [tenth, first]) {
    await world.begin()
    await world.takeOver()
    await world.turn()
    await world.stop()
    await world.chores()
  }
print(first, tenth)
await restoreWork(tenth)
process.exit(0)
