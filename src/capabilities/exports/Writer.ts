/** Gathers lines into texts that are worth a write, and hashes them. */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as Bounds from "./Bounds.ts"
import type { Unusable } from "./Faults.ts"
import type { OutFile } from "./OutFile.ts"

export class Writer {
  private readonly hash = createHash("sha256")
  private readonly file: Pick<OutFile, "write">
  private waiting: Array<string> = []
  private length = 0

  constructor(file: Pick<OutFile, "write">) {
    this.file = file
  }

  /** True if `flush` must run before many more lines are added. */
  get isFull(): boolean {
    return this.length >= Bounds.writtenLength
  }

  add(line: string): void {
    this.waiting.push(line, "\n")
    this.length += line.length + 1
  }

  /** SHA-256 of all lines so far. Requires: nothing waits. */
  get digest(): string {
    return this.hash.copy().digest("hex")
  }

  readonly flush: Effect.Effect<void, Unusable> = Effect.suspend(() => {
    const text = this.waiting.join("")
    this.waiting = []
    this.length = 0
    this.hash.update(text)
    return text === "" ? Effect.void : this.file.write(text)
  })
}
