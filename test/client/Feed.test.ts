/** The reader of the feed: each event at least once and in order, over faults, kills and aborts (contract/events.md *Feed*). */
import type { FeedBatch, FeedPause, FeedPosition, ReadFeed } from "lotbook/client"
import { createClient, FeedPositionError, LotbookError, ProblemError, readFeed } from "lotbook/client"
import { filePosition } from "lotbook/client/node"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Folders from "../Folders.ts"

interface Page {
  readonly events: ReadonlyArray<{ readonly id: string }>
  readonly next: string
  /** Absent for tokens that are limited to restaurants. */
  readonly lag_seconds?: number
}

const page = (next: string, ids: ReadonlyArray<string> = [], lag_seconds = 0): Page => ({
  events: ids.map((id) => ({ id })),
  next,
  lag_seconds
})

const answered = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": status < 400 ? "application/json" : "application/problem+json", ...headers }
  })
const problem = (status: number, code: string, faulty?: string): Response =>
  answered(status, {
    type: `/problems/${code}`,
    title: code,
    status,
    detail: `It is ${code}.`,
    instance: "/",
    code,
    ...(faulty === undefined ? undefined : { errors: [{ path: faulty, message: "is wrong" }] })
  })

/** A store in memory, as a file that outlives the reader. */
const memory = (kept?: string) => {
  const written: Array<string> = []
  const position: FeedPosition = {
    read: () => written.at(-1) ?? kept,
    write: (next) => void written.push(next)
  }
  return { position, written }
}

/** A reader of a service that answers by a list, and then ends the reader. Time passes in waits alone. */
const reading = (steps: ReadonlyArray<Response | Error | Page | "silence">, options: Partial<ReadFeed> = {}) => {
  const asked: Array<Readonly<Record<string, string>>> = []
  const batches: Array<FeedBatch> = []
  const pauses: Array<FeedPause> = []
  const waits: Array<number> = []
  const lags: Array<number> = []
  const ending = new AbortController()
  let nowMs = 0
  const client = createClient({
    url: "http://service.test",
    fetch: async (to, { signal }) => {
      const step = steps[asked.length]
      if (step === undefined) {
        ending.abort()
        throw new Error("ended")
      }
      asked.push(Object.fromEntries(new URL(to).searchParams))
      if (step instanceof Error) throw step
      if (step instanceof Response) return step
      if (step === "silence")
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))
      if (step.events.length === 0 && asked.at(-1)?.["wait_seconds"] !== "0") nowMs += 25_000
      return answered(200, step)
    }
  })
  const { position, written } = memory()
  const run = readFeed({
    client,
    position,
    onEvents: (batch) => void batches.push(batch),
    onPause: (pause) => void pauses.push(pause),
    onLag: (lag) => void lags.push(lag),
    signal: ending.signal,
    now: () => nowMs,
    random: () => 0.5,
    wait: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
    ...options
  })
  const idsOf = () => batches.map(({ events }) => events.map(({ id }) => id))
  return { asked, batches, ending, idsOf, lags, pauses, run, waits, written }
}

const failureOf = (run: Promise<void>): Promise<unknown> =>
  run.then(
    () => assert.fail("it did not fail"),
    (error: unknown) => error
  )

describe("readFeed", () => {
  it("reads from the beginning by pages, then waits for events, and keeps each position after its events", async () => {
    const { asked, idsOf, lags, run, written } = reading([
      page("p1", ["a", "b"], 7),
      page("p2"),
      page("p2"),
      page("p3", ["c"])
    ])
    await run
    assert.deepStrictEqual(idsOf(), [["a", "b"], ["c"]])
    assert.deepStrictEqual(written, ["p1", "p2", "p3"])
    assert.deepStrictEqual(asked[0], { after: "0", limit: "1000", wait_seconds: "25" })
    assert.deepStrictEqual(
      asked.map(({ after }) => after),
      ["0", "p1", "p2", "p2"]
    )
    assert.deepStrictEqual(lags, [7, 0, 0, 0])
  })

  it("tells no lag where the answers have none", async () => {
    const { batches, lags, run } = reading([{ events: [{ id: "a" }], next: "p1" }])
    await run
    assert.deepStrictEqual(batches.map(Object.keys), [["events", "next"]])
    assert.deepStrictEqual(lags, [])
  })

  it("goes on from the position that is kept, with its filters", async () => {
    const { position } = memory("p7")
    const filters = {
      types: ["proto.order.accrued.v1", "proto.tier.changed.v1"],
      programId: "a",
      memberId: "b"
    } as const
    const { asked, run } = reading([page("p8", ["x"])], { position, from: "now", limit: 5, ...filters })
    await run
    assert.deepStrictEqual(asked, [
      {
        after: "p7",
        limit: "5",
        wait_seconds: "25",
        types: "proto.order.accrued.v1,proto.tier.changed.v1",
        program_id: "a",
        member_id: "b"
      }
    ])
  })

  it("keeps a position before it waits, where it begins now; an instant is asked for as it is", async () => {
    const now = reading([page("p1"), page("p2", ["a"])], { from: "now" })
    await now.run
    assert.deepStrictEqual(now.asked, [
      { limit: "1000", wait_seconds: "0" },
      { after: "p1", limit: "1000", wait_seconds: "25" }
    ])
    assert.deepStrictEqual(now.written, ["p1", "p2"])
    assert.deepStrictEqual(now.waits, [])
    const since = reading([page("p1")], { from: new Date("2026-07-14T10:00:00Z") })
    await since.run
    assert.strictEqual(since.asked[0]?.["after"], "time:2026-07-14T10:00:00.000Z")
  })

  it("sends the batch again after a kill before its position was kept", async () => {
    const killed = new Error("killed")
    const { position, written } = memory("p1")
    const stores = { position: { ...position, write: () => Promise.reject(killed) } }
    const first = reading([page("p2", ["a", "b"])], stores)
    assert.strictEqual(await failureOf(first.run), killed)
    assert.deepStrictEqual(first.idsOf(), [["a", "b"]])
    const second = reading([page("p2", ["a", "b"]), page("p3", ["c"])], { position })
    await second.run
    assert.deepStrictEqual(
      second.asked.map(({ after }) => after),
      ["p1", "p2"]
    )
    assert.deepStrictEqual(second.idsOf(), [["a", "b"], ["c"]])
    assert.deepStrictEqual(written, ["p2", "p3"])
  })

  it("rejects with what the handler throws, and keeps the position before", async () => {
    const full = new Error("disk is full")
    const { run, written } = reading([page("p1", ["a"])], { onEvents: () => Promise.reject(full) })
    assert.strictEqual(await failureOf(run), full)
    assert.deepStrictEqual(written, [])
  })

  it("asks again after faults, later each time, from the same place", async () => {
    const { asked, idsOf, pauses, run, waits } = reading([
      new TypeError("fetch failed"),
      problem(503, "overloaded"),
      answered(503, {}, { "content-type": "text/html", "retry-after": "7" }),
      new Response("<html>", { headers: { "content-type": "text/html" } }),
      answered(200, { status: "maintenance" }),
      page("p1", ["a"]),
      problem(401, "unauthorized"),
      problem(403, "forbidden"),
      page("p2", ["b"])
    ])
    await run
    assert.deepStrictEqual(idsOf(), [["a"], ["b"]])
    assert.deepStrictEqual(
      asked.map(({ after }) => after),
      ["0", "0", "0", "0", "0", "0", "p1", "p1", "p1"]
    )
    assert.deepStrictEqual(waits, [500, 1_000, 9_000, 4_000, 8_000, 500, 1_000])
    assert.deepStrictEqual(
      pauses.map(({ error, faults }) => [error.kind, error.status, faults]),
      [
        ["network", undefined, 1],
        ["problem", 503, 2],
        ["unreadable", 503, 3],
        ["unreadable", 200, 4],
        ["unreadable", undefined, 5],
        ["problem", 401, 1],
        ["problem", 403, 2]
      ]
    )
  })

  it("waits at most a minute, and with all others not at the same moment", async () => {
    const faults = Array.from({ length: 12 }, () => new TypeError("fetch failed"))
    const { run, waits } = reading([...faults, page("p1")], { random: () => 1 })
    await run
    assert.deepStrictEqual(waits.slice(0, 8), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    const { run: other, waits: none } = reading([new TypeError("fetch failed"), page("p1")], { random: () => 0 })
    await other
    assert.deepStrictEqual(none, [0])
  })

  it("does not ask a service that stops as fast as it answers", async () => {
    const stopping = () => answered(200, page("p1"))
    const { run, waits } = reading([stopping(), stopping(), stopping(), page("p2", ["a"])])
    await run
    assert.deepStrictEqual(waits, [1_000, 1_000])
  })

  it("tells a position of another database, which no attempt mends", async () => {
    const { position, written } = memory("pold")
    const { run } = reading([problem(422, "validation_failed", "/after")], { position })
    const error = await failureOf(run)
    assert(error instanceof FeedPositionError)
    assert.strictEqual(error.position, "pold")
    assert.include(error.message, "read again from the beginning")
    assert.instanceOf(error.cause, ProblemError)
    assert.deepStrictEqual(written, [])
  })

  it("rejects where the request is wrong", async () => {
    const ahead = await failureOf(
      reading([problem(422, "validation_failed", "/after")], { from: new Date("2030-01-01") }).run
    )
    assert.instanceOf(ahead, ProblemError)
    const unknown = await failureOf(reading([problem(404, "not_found")], { memberId: "nobody" }).run)
    assert(unknown instanceof LotbookError)
    assert.strictEqual(unknown.code, "not_found")
    const types = await failureOf(reading([problem(422, "validation_failed", "/types")]).run)
    assert.instanceOf(types, ProblemError)
  })

  it("ends by its signal: before it asks, while it waits for an answer, and while it pauses", async () => {
    const early = new AbortController()
    early.abort()
    const before = reading([], { signal: early.signal })
    await before.run
    assert.deepStrictEqual(before.asked, [])
    const asking = reading(["silence"])
    asking.ending.abort()
    await asking.run
    const pausing = new AbortController()
    const wait = (_: number, signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason))
        pausing.abort()
      })
    const paused = reading([new TypeError("fetch failed")], { signal: pausing.signal, wait })
    await paused.run
    assert.strictEqual(paused.pauses.length, 1)
  })

  it("keeps the batch in hand when it is ended", async () => {
    const ending = new AbortController()
    const kept = reading([page("p1", ["a"]), page("p2", ["b"])], {
      signal: ending.signal,
      onEvents: async () => ending.abort()
    })
    await kept.run
    assert.deepStrictEqual(kept.written, ["p1"])
    assert.strictEqual(kept.asked.length, 1)
  })
})

describe("filePosition", () => {
  let folder: string
  beforeEach(() => {
    folder = Folders.make("position-")
  })
  afterEach(() => fs.rmSync(folder, { recursive: true }))

  it("keeps a position for the next process, and creates its folder", async () => {
    const file = path.join(folder, "feeds", "deep", "warehouse.position")
    assert.isUndefined(await filePosition(file).read())
    for (const position of ["p1.2.3", "p4.5.6"]) {
      await filePosition(file).write(position)
      assert.strictEqual(await filePosition(file).read(), position)
    }
    assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["warehouse.position"])
  })

  it("keeps the one before where a kill came before the rename", async () => {
    const file = path.join(folder, "position")
    await filePosition(file).write("p1")
    fs.writeFileSync(`${file}.new`, "p")
    assert.strictEqual(await filePosition(file).read(), "p1")
    await filePosition(file).write("p2")
    assert.strictEqual(await filePosition(file).read(), "p2")
  })

  it.each(["", "p1", "p1 p2\n", "p1\np2\n"])("does not take %j for a position", async (text) => {
    const file = path.join(folder, "position")
    fs.writeFileSync(file, text)
    const error = await failureOf(Promise.resolve(filePosition(file).read()).then(() => undefined))
    assert.match(String(error), /is no file of a position; remove it/)
  })

  it("tells a file that it cannot read", async () => {
    const error = await failureOf(Promise.resolve(filePosition(folder).read()).then(() => undefined))
    assert.match(String(error), /EISDIR/)
  })
})
