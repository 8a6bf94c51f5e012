/** A till that is killed and begins again: what it has said in all its lives, whether it is a process or a page. */
import { until } from "./Processes.ts"

/** Longest time until all is sent after the last sale, ms. */
const drainMs = 300_000

export abstract class TillLives {
  protected readonly lines: Array<string> = []
  protected readonly end: number
  protected readonly placedAt = Date.now()

  constructor(end: number) {
    this.end = end
  }

  /** Settings that this till needs to reach the service. */
  abstract readonly serviceFlags: ReadonlyArray<string>
  abstract readonly isGone: boolean
  /** The till goes on with the sale `first`. */
  protected abstract spawn(url: string, first: number): void
  abstract kill(): Promise<void>
  /** Texts that its store has kept; it is asked once the till has ended. */
  abstract left(): Promise<ReadonlyArray<string>>
  abstract close(): Promise<void>
  /** Waits until the till that is done has ended. */
  protected abstract ended(): Promise<void>

  /** The number after the last sale that was accepted. */
  get next(): number {
    const sold = this.lines.findLast((line) => line.startsWith("sold "))
    return sold === undefined ? 0 : Number(sold.slice(5)) + 1
  }

  said(word: string): ReadonlyArray<string> {
    return this.lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  }

  get isDone(): boolean {
    return this.lines.at(-1) === "done"
  }

  /** Goes on after the last sale that was accepted. */
  begin(url: string): void {
    const first = this.next
    this.lines.push("begins")
    this.spawn(url, first)
  }

  async finish(): Promise<void> {
    const tail = () => this.lines.slice(-20).join("\n")
    await until("all is sent", () => this.isDone || this.isGone, drainMs).catch((error: unknown) => {
      throw new Error(`stuck: ${String(error)}\n${tail()}`)
    })
    await this.ended()
    if (!this.isDone) throw new Error(`the till ended:\n${tail()}`)
  }
}
