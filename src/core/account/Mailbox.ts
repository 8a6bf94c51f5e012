/**
 * The queue of requests to one account, served one at a time and in order.
 *
 * Serving begins synchronously in the caller's turn. If a request has to wait, it
 * and all later ones continue in a fiber.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** A queue, for counting the requests that wait in it. */
export interface Waiting {
  readonly length: number
}

export interface Server<Item> {
  /** Contains the mailbox while a fiber serves it. Requests only wait during that time. */
  readonly busy: Set<Waiting>
  /** Must end before the next item is served; undefined if it may be served now. */
  readonly prepare: () => Effect.Effect<void> | undefined
  /** Serves one item; undefined if it completed synchronously. */
  readonly serve: (item: Item) => Effect.Effect<void> | undefined
  /** Serving stopped on a defect or an interruption: `items` will not be served. */
  readonly stopped: (items: ReadonlyArray<Item>, cause: Cause.Cause<never>) => Effect.Effect<void>
  readonly fork: (effect: Effect.Effect<void>) => void
}

export class Mailbox<Item> {
  private readonly server: Server<Item>
  private readonly items: Array<Item> = []
  /** The item that is being served. */
  private serving: Item | undefined
  private isServing = false

  constructor(server: Server<Item>) {
    this.server = server
  }

  get length(): number {
    return this.items.length
  }

  get isIdle(): boolean {
    return !this.isServing && this.items.length === 0
  }

  push(item: Item): void {
    this.items.push(item)
    this.wake()
  }

  /** Puts items back at the front, without serving them. */
  putBack(items: ReadonlyArray<Item>): void {
    this.items.unshift(...items)
  }

  /** Empties the queue. */
  takeAll(): ReadonlyArray<Item> {
    return this.items.splice(0)
  }

  /** Serves waiting items, unless serving is in progress. */
  wake(): void {
    if (this.isServing || this.items.length === 0) return
    this.isServing = true
    let rest: Effect.Effect<void> | undefined
    try {
      rest = this.serveAll()
    } catch (defect) {
      rest = Effect.die(defect)
    }
    if (rest === undefined) {
      this.isServing = false
      return
    }
    this.server.busy.add(this)
    this.server.fork(
      Effect.onExit(rest, (exit) =>
        Effect.suspend(() => {
          this.isServing = false
          this.server.busy.delete(this)
          const logged = exit._tag === "Success" ? Effect.void : this.stopped(exit.cause)
          this.wake()
          return logged
        })
      )
    )
  }

  /** Serves items until one has to wait. Returns the effect that serves the rest; undefined if none is left. */
  private serveAll(): Effect.Effect<void> | undefined {
    for (;;) {
      this.serving = undefined
      if (this.items.length === 0) return undefined
      const waits = this.server.prepare() ?? this.serveNext()
      if (waits !== undefined) return Effect.flatMap(waits, () => this.serveAll() ?? Effect.void)
    }
  }

  private serveNext(): Effect.Effect<void> | undefined {
    this.serving = this.items.shift()
    return this.serving === undefined ? undefined : this.server.serve(this.serving)
  }

  /** A defect ends the item that caused it, or all items if none was being served; an interruption ends all. */
  private stopped(cause: Cause.Cause<never>): Effect.Effect<void> {
    const served = this.serving === undefined ? [] : [this.serving]
    const isForAll = this.serving === undefined || Cause.hasInterruptsOnly(cause)
    this.serving = undefined
    return this.server.stopped(isForAll ? [...served, ...this.takeAll()] : served, cause)
  }
}
