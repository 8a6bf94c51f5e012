/** The service under test: a process of its own, killed, paused and started again at one port. */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { demoProgram } from "../../src/app/service/Settings.ts"
import * as Built from "../Built.ts"
import { freePort, pidFile, until } from "./Processes.ts"

const busyLoop = path.join(import.meta.dirname, "BusyLoop.ts")
const movedClock = path.join(import.meta.dirname, "MovedClock.ts")

/** Log lines kept for the analysis of a failure. */
const keptLines = 200

interface StartOptions {
  readonly hasMovedClock?: boolean
  readonly isBusy?: boolean
  readonly main?: string
}

export class Service {
  readonly port: number
  /** Errors that the service logged: defects, as faults of the surroundings are warnings. */
  readonly errors: Array<string> = []
  /** Lines at warning or above. */
  readonly warnings: Array<string> = []
  private readonly folder: string
  private readonly flags: ReadonlyArray<string>
  private readonly main: string
  /** The demo's programme: beside the main file of a released version, which cannot read all that today's says. */
  private readonly program: string
  private child: ChildProcess | undefined
  private ended: Promise<number | null> = Promise.resolve(null)
  private readonly lines: Array<string> = []
  private readonly events: Array<string> = []
  /** Ends of the process after which it was started again. */
  restarts = 0
  private isKept = false
  private hasMovedClock = false
  private hasBusyLoop = false

  private constructor(folder: string, port: number, flags: ReadonlyArray<string>, main: string) {
    this.main = main
    const own = path.join(path.dirname(main), "program", path.basename(demoProgram))
    this.program = fs.existsSync(own) ? own : demoProgram
    this.folder = folder
    this.port = port
    this.flags = flags
  }

  /** Started and ready; the flags say which database. `isBusy`: `keepBusy` works. */
  static async start(
    folder: string,
    flags: ReadonlyArray<string>,
    { hasMovedClock = false, isBusy = false, main = Built.main }: StartOptions = {}
  ): Promise<Service> {
    const service = new Service(folder, await freePort(), flags, main)
    service.hasBusyLoop = isBusy
    if (hasMovedClock) service.moveClock(0)
    service.spawn()
    await service.ready()
    return service
  }

  get log(): string {
    return this.lines.join("\n")
  }

  spawn(): void {
    const fixed = [
      "serve",
      "--port",
      String(this.port),
      "--seed-demo",
      "false",
      "--log-format",
      "json",
      "--programs",
      this.program
    ]
    const preloaded = [
      ...(this.hasMovedClock ? ["--import", movedClock] : []),
      ...(this.hasBusyLoop ? ["--import", busyLoop] : [])
    ]
    const child = spawn(process.execPath, [...preloaded, this.main, ...fixed, ...this.flags], {
      env: { ...process.env, ...(this.hasMovedClock ? { MOVED_CLOCK: this.clockFile } : {}) },
      // Cleaning up knows the process by the folder in its command line.
      argv0: `node ${this.folder}`,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child = child
    fs.writeFileSync(path.join(this.folder, pidFile), String(child.pid))
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ""
      stream.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString("utf8")).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) this.keep(line)
      })
    }
    this.ended = new Promise((resolve) =>
      child.once("exit", (code) => {
        if (this.isKept) {
          this.restarts++
          this.spawn()
        }
        resolve(code)
      })
    )
  }

  /** Its thread does nothing else for 3 s. */
  keepBusy(): void {
    this.signal("SIGUSR2")
  }

  get pid(): number {
    return this.child?.pid ?? 0
  }

  private get clockFile(): string {
    return path.join(this.folder, "clock-ahead")
  }

  /** Sets how far its clock is ahead of this machine's, ms. One that runs must have been started with such a clock. */
  moveClock(aheadMs: number): void {
    this.hasMovedClock = true
    fs.writeFileSync(this.clockFile, String(aheadMs))
    if (this.child?.exitCode === null && this.child.signalCode === null) this.signal("SIGUSR2")
  }

  private keep(line: string): void {
    if (/"level":"(WARN|ERROR|FATAL)"/i.test(line)) this.warnings.push(line)
    if (/"level":"(ERROR|FATAL)"/i.test(line)) this.errors.push(line)
    if (line.includes('"event":"')) this.events.push(line)
    this.lines.push(line)
    if (this.lines.length > keptLines) this.lines.shift()
  }

  /** The names of the logged events, in their order. */
  get eventNames(): ReadonlyArray<string> {
    return this.events.map((line) => /"event":"(\w+)"/.exec(line)?.[1] ?? "")
  }

  /** The logged lines of an event with their facts. */
  logged(event: string): ReadonlyArray<Readonly<Record<string, unknown>>> {
    return this.events.flatMap((line) => {
      if (!line.includes(`"event":"${event}"`)) return []
      const { annotations } = JSON.parse(line) as { readonly annotations: Readonly<Record<string, unknown>> }
      return [annotations]
    })
  }

  /** Waits until the service answers for all accounts. */
  ready(): Promise<unknown> {
    return this.answers("/health/ready")
  }

  /** Waits until it answers for all accounts, also if a supervisor has to start it again. */
  returned(): Promise<unknown> {
    return until(`a node returns\n${this.log}`, async () => (await this.status("/health/ready")) === 200)
  }

  private answers(address: string): Promise<unknown> {
    return until(`${address} answers 200\n${this.log}`, async () => {
      if (this.child?.exitCode !== null) throw new Error(`the service ended:\n${this.log}`)
      return (await this.status(address)) === 200
    })
  }

  /** The status of a public address; undefined where nothing answers. */
  async status(address: string): Promise<number | undefined> {
    return (await this.get(address))?.status
  }

  /** Answer of an address; undefined where nothing answers. */
  async get(address: string): Promise<{ readonly status: number; readonly text: string } | undefined> {
    const headers = { authorization: "Bearer proto-dev-token" }
    const response = await fetch(`http://127.0.0.1:${this.port}${address}`, { headers }).catch(() => undefined)
    return response === undefined ? undefined : { status: response.status, text: await response.text() }
  }

  /** Starts it again whenever it ends by itself, as a supervisor does; `stop` ends that. */
  keepRunning(): void {
    this.isKept = true
  }

  /** Kills it; `resume` starts it again. */
  async pause(): Promise<void> {
    this.isKept = false
    await this.kill()
  }

  /** Starts it, and again whenever it ends by itself. */
  resume(): void {
    this.spawn()
    this.keepRunning()
  }

  /** Waits until it has ended by itself; its exit code. */
  end(): Promise<number | null> {
    return this.ended
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name)
  }

  /** As `kill -9` does; returns once the process is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL")
    await this.ended
  }

  /** Told to stop; its exit code. */
  async stop(): Promise<number | null> {
    this.isKept = false
    if (this.child?.exitCode === null && this.child.signalCode === null) this.signal("SIGTERM")
    const code = await this.ended
    fs.rmSync(path.join(this.folder, pidFile), { force: true })
    return code
  }
}
