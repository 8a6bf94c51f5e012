/**
 * A move in that is killed: `node test/bench/moving.ts [--guests 1000000] [--folder DIR] [--kill-at 10,25,40,60,80]`.
 *
 * Guests with two lots each are planned, run and reconciled on one service, which `npm run prepare` must have built. At each
 * share of the guests, in per cent, a process is killed: in turn the command, which is started again, and the service. The
 * run must then tell that nothing is left, and the reconciliation that nothing differs.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import { Postgres } from "../faults/Postgres.ts"
import * as TestPostgres from "../TestPostgres.ts"
import { programId } from "./Bodies.ts"
import { adminKey, cpuSeconds, thisCheckout } from "./Processes.ts"

const { values } = parseArgs({
  options: { guests: { type: "string" }, folder: { type: "string" }, "kill-at": { type: "string" } }
})
const count = Number(values.guests ?? 1_000_000)
const shares = (values["kill-at"] ?? "10,25,40,60,80").split(",").filter((share) => share !== "")
const folder = path.resolve(values.folder ?? fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-moving-")))
const main = path.join(thisCheckout, ".built", "main.js")
/** Pause between two looks at memory and CPU of processes, ms. */
const lookMs = 500

const say = (text: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)

/** A file whose rows come from a generator, with bounded memory. */
const write = async (name: string, rows: Iterable<string>): Promise<string> => {
  const file = path.join(folder, name)
  const stream = fs.createWriteStream(file)
  let text = ""
  for (const row of rows) {
    text += `${row}\n`
    if (text.length < 1 << 20) continue
    if (!stream.write(text)) await new Promise<void>((resolve) => stream.once("drain", () => resolve()))
    text = ""
  }
  await new Promise<void>((resolve) => stream.end(text, resolve))
  return file
}

const day = (n: number): string => new Date(Date.UTC(2026, 0, 1 + (n % 300))).toISOString().slice(0, 10)
/** Points of a guest's lots, by its number. */
const amounts = (n: number): readonly [number, number] => [1 + (n % 900), 1 + ((n * 7) % 90)]

const guestRows = function* () {
  yield "external_id,display_name,card,balance,joined_at,lifetime,orders"
  for (let n = 1; n <= count; n++) {
    const [first, second] = amounts(n)
    yield `old-${n},Guest ${n},card-${n},${first + second},2024-${String((n % 12) + 1).padStart(2, "0")}-01,${n % 5_000},${n % 40}`
  }
}

/** All first lots, then all second ones: those of a guest are far apart. */
const lotRows = function* () {
  yield "external_id,amount,earned_at,expires_at"
  for (const which of [0, 1] as const)
    for (let n = 1; n <= count; n++) yield `old-${n},${amounts(n)[which]},${day(n * (which + 3))},2098-12-31`
}

interface Running {
  readonly pid: number
  readonly kill: () => void
  readonly ended: Promise<number | null>
  /** Most memory so far, MB. */
  readonly peak: () => number
  /** CPU so far, seconds. */
  readonly cpu: () => number
}

/** Starts a process of this checkout, and looks at it until it ends. */
const start = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  told: (line: string) => void
): Running => {
  const { HOME, PATH } = process.env
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...args], {
    cwd: folder,
    env: { HOME, PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const pid = child.pid ?? 0
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ""
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) told(line)
    })
  }
  let [peak, cpu] = [0, 0]
  const look = setInterval(() => {
    try {
      const status = fs.readFileSync(`/proc/${pid}/status`, "utf8")
      peak = Math.max(peak, Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024))
      cpu = cpuSeconds(pid)
    } catch {
      // It has ended between two looks.
    }
  }, lookMs)
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      clearInterval(look)
      resolve(code)
    })
  )
  const running: Running = { pid, kill: () => child.kill("SIGKILL"), ended, peak: () => peak, cpu: () => cpu }
  process.once("exit", running.kill)
  return running
}

let service: Running | undefined
let port = 0

const serve = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const environment = {
      DATABASE_URL: url,
      PROGRAMS: path.join(thisCheckout, "src", "app", "demo", "program.demo.json"),
      [environmentName("TOKEN")]: "bench-token-of-lotbook",
      [environmentName("ADMIN_KEY")]: adminKey,
      [environmentName("SEED_DEMO")]: "false",
      LOG_FORMAT: "json"
    }
    service = start(["serve", "--port", String(port)], environment, (line) => {
      port = Number(/Listening on http:\/\/[^:\s]+:(\d+)/.exec(line)?.[1] ?? port)
      if (line.includes("Listening on")) resolve()
      else if (/"level":"(?:WARN|ERROR|FATAL)/i.test(line)) say(`service: ${line.slice(0, 300)}`)
    })
    void service.ended.then((code) => reject(new Error(`the service ended with ${code}`)))
  })

const files = [await write("guests.csv", guestRows()), await write("lots.csv", lotRows())]
say(
  `${count} guests with two lots each: files of ${files.map((file) => Math.round(fs.statSync(file).size / 1e6)).join(" and ")} MB`
)
const data = path.join(folder, "data")
TestPostgres.watch(data)
const server = await TestPostgres.start(data)
const postgres = new Postgres(data)
const url = TestPostgres.urlOf(server.clientConfig)
await serve(url)

const flags = ["--program", programId, "--faults", "faults.csv"]

/** Runs a step of the move once. `progress`: gets guests of a run so far. */
const step = (name: string, more: ReadonlyArray<string>, progress: (guests: number, running: Running) => void) => {
  const lines: Array<string> = []
  const began = performance.now()
  const running = start(
    ["move-in", name, ...files, ...flags, ...more, "--url", `http://127.0.0.1:${port}`],
    { [environmentName("ADMIN_KEY")]: adminKey },
    (line) => {
      const guests = /^moved ([\d,]+) of [\d,]+ guests/.exec(line)?.[1]
      if (guests === undefined) {
        if (!/^(?:looked at|compared) [\d,]+ of /.test(line)) lines.push(line)
      } else progress(Number(guests.replaceAll(",", "")), running)
    }
  )
  return { running, lines, seconds: () => (performance.now() - began) / 1000 }
}

const whole = async (name: string, more: ReadonlyArray<string>) => {
  const { lines, running, seconds } = step(name, more, () => undefined)
  const code = await running.ended
  const took = seconds()
  say(
    `${name}: exit code ${code}, ${took.toFixed(0)} s, ${Math.round(count / took)} guests/s, peak ${running.peak()} MB, CPU ${running.cpu().toFixed(0)} s; service peak ${service?.peak()} MB`
  )
  for (const line of lines.slice(0, 12)) say(`  ${line}`)
  if (code !== 0) throw new Error(`${name} failed`)
}

/** Runs the move until it ends, or a share of guests is reached; true: it has ended. */
const runUntil = async (left: Array<number>): Promise<boolean> => {
  let isKilled = false
  let firstAt = 0
  const { lines, running, seconds } = step("run", ["--left", "left.csv"], (guests, command) => {
    if (firstAt === 0) {
      firstAt = seconds()
      say(`run: the plan took ${firstAt.toFixed(0)} s`)
    }
    const share = left[0]
    if (share === undefined || guests < (share / 100) * count) return
    left.shift()
    const isService = left.length % 2 === 1
    say(`at ${guests} guests, after ${seconds().toFixed(0)} s: kill -9 of the ${isService ? "service" : "command"}`)
    if (isService) {
      const killed = service
      killed?.kill()
      void killed?.ended.then(() => serve(url)).catch((error: unknown) => say(String(error)))
    } else {
      isKilled = true
      command.kill()
    }
  })
  const code = await running.ended
  const took = seconds()
  say(
    `run: exit code ${code}, ${took.toFixed(0)} s of which ${(took - firstAt).toFixed(0)} moved, peak ${running.peak()} MB, CPU ${running.cpu().toFixed(0)} s; service peak ${service?.peak()} MB`
  )
  for (const line of lines.slice(0, 12)) say(`  ${line}`)
  if (!isKilled && code !== 0) throw new Error("the run failed")
  return !isKilled
}

await whole("plan", [])
const left = shares.map(Number)
const began = performance.now()
while (!(await runUntil(left)));
say(`run with ${shares.length} kills: ${((performance.now() - began) / 1000).toFixed(0)} s`)
await whole("reconcile", ["--left", "left.csv"])
const [found] = await postgres.query(
  "SELECT (SELECT count(*) FROM accounts) AS accounts, count(*) AS entries, sum(amount) AS points FROM ledger_entries"
)
const points = Array.from({ length: count }, (_, n) => amounts(n + 1)).reduce((sum, [one, two]) => sum + one + two, 0)
say(
  `accounts, entries, points: ${JSON.stringify(found)}; expected ${JSON.stringify({ accounts: count, entries: 2 * count, points })}`
)
process.exit(0)
