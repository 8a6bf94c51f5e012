/** The till as a process, with a folder for its store. */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { TillLives } from "./TillLives.ts"

const program = path.join(import.meta.dirname, "TillProgram.ts")

export class TillProcess extends TillLives {
  readonly serviceFlags = []
  private readonly queue: string
  private child: ChildProcess | undefined
  private closed: Promise<unknown> = Promise.resolve()

  constructor(folder: string, end: number) {
    super(end)
    this.queue = path.join(folder, "queue")
  }

  protected spawn(url: string, first: number): void {
    const args = [program, url, this.queue, String(first), String(this.end), String(this.placedAt)]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    this.child = child
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ""
      stream.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString("utf8")).split("\n")
        rest = lines.pop() ?? ""
        this.lines.push(...lines)
      })
    }
    this.closed = new Promise((resolve) => child.once("close", resolve))
  }

  get isGone(): boolean {
    return this.child?.exitCode !== null || this.child.signalCode !== null
  }

  async kill(): Promise<void> {
    this.child?.kill("SIGKILL")
    await this.closed
  }

  protected async ended(): Promise<void> {
    await this.closed
  }

  async left(): Promise<ReadonlyArray<string>> {
    // The spare room of a folder stays: it is how a till starts on a full disk.
    return fs.readdirSync(this.queue).filter((name) => name !== "spare")
  }

  close(): Promise<void> {
    return this.kill()
  }
}
