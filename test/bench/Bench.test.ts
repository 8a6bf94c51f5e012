/** Base of the benchmark's figures: percentiles, the shares of the mix, the reading of answers. */
import { describe, expect, it } from "@effect/vitest"
import * as net from "node:net"
import { composers } from "./Bodies.ts"
import type { Answer } from "./Connection.ts"
import { Connection } from "./Connection.ts"
import { Histogram } from "./Histogram.ts"
import type { Job } from "./Job.ts"
import { parse } from "./Options.ts"
import { spread } from "./Spread.ts"
import { deck, randomFrom, tillsOf } from "./Workloads.ts"

describe("Histogram", () => {
  it("tells percentiles to within a hundredth", () => {
    const random = randomFrom(1)
    const histogram = new Histogram()
    const all = Array.from({ length: 20_000 }, () => 0.02 + 2_000 * random() ** 6)
    for (const ms of all) histogram.record(ms)
    all.sort((a, b) => a - b)
    for (const share of [0.5, 0.95, 0.99, 0.999, 1]) {
      const exact = all[Math.ceil(all.length * share) - 1]!
      expect(Math.abs(histogram.at(share) / exact - 1)).toBeLessThan(0.01)
    }
    expect(new Histogram().at(0.99)).toBe(0)
  })

  it("tells the largest of all exactly, however slow", () => {
    const histogram = new Histogram()
    histogram.record(0.001)
    histogram.record(3_600_000)
    expect(histogram.percentiles()).toMatchObject({ p999: 3_600_000, max: 3_600_000 })
  })
})

describe("Spread", () => {
  it("takes the median of an even and an odd number of rounds", () => {
    expect(spread([3, 1, 2])).toMatchObject({ median: 2, min: 1, max: 3 })
    expect(spread([4, 1, 2, 3])?.median).toBe(2.5)
    expect(spread([])).toBeUndefined()
  })
})

describe("Workloads", () => {
  const lunch = {
    "redemption.reserve": 5,
    "redemption.capture": 4,
    "redemption.reverse": 1,
    "accrual.post": 55
  } as const

  it("keeps the shares and captures nothing before it is reserved", () => {
    for (let seed = 0; seed < 200; seed++) {
      const cards = deck(lunch, randomFrom(seed))
      let open = 0
      for (const [kind, share] of Object.entries(lunch)) {
        expect(cards.filter((card) => card === kind)).toHaveLength(share)
      }
      for (const card of cards) {
        if (card === "redemption.reserve") open++
        else if (card !== "accrual.post") open--
        expect(open).toBeGreaterThanOrEqual(0)
      }
    }
  })

  const job = (workload: Job["workload"]): Job => ({
    port: 0,
    token: "token",
    tag: "t",
    seed: 1,
    workload,
    pace: { type: "closed" },
    connections: 3,
    warmupMs: 0,
    measureMs: 0
  })

  it("gives each member in turn, then no more, and no identifier twice", () => {
    const members = { prefix: "c-", first: 11, stride: 10, count: 4 }
    const tills = tillsOf(job({ type: "accruals", members, each: 2 }))
    const texts = Array.from({ length: 9 }, (_, index) => tills[index % 3]!()?.text)
    expect(texts.map((text) => /"member_id":"([^"]+)"/.exec(text ?? "")?.[1])).toEqual([
      "c-11",
      "c-21",
      "c-31",
      "c-41",
      "c-11",
      "c-21",
      "c-31",
      "c-41",
      undefined
    ])
    expect(new Set(texts).size).toBe(9)
  })

  it("announces the length that a body has", () => {
    const text = composers("token")["accrual.post"]({ key: "key-0001", member: "m-1", order: "order-1", other: "" })
    const [head, body] = text.split("\r\n\r\n")
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body ?? "")}`)
    expect(JSON.parse(body ?? "")).toMatchObject({ member_id: "m-1", order: { order_id: "order-1", member_id: "m-1" } })
  })
})

describe("Connection", () => {
  it("reads answers that come in pieces", async () => {
    const body = JSON.stringify({ detail: "x".repeat(3_000) })
    const whole = `HTTP/1.1 503 Service Unavailable\r\ncontent-length: ${body.length}\r\nRetry-After: 1\r\n\r\n${body}`
    const server = net.createServer((socket) => {
      socket.setNoDelay(true)
      socket.on("data", async () => {
        for (const piece of [whole.slice(0, 20), whole.slice(20, 90), whole.slice(90, 2_000), whole.slice(2_000)]) {
          await new Promise<void>((resolve) => socket.write(piece, () => setImmediate(resolve)))
        }
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as net.AddressInfo
    const answers: Array<{ status: number; hasRetryAfter: boolean; body: string }> = []
    await new Promise<void>((resolve) => {
      const onAnswer = (connection: Connection, answer: Answer) => {
        answers.push({ status: answer.status, hasRetryAfter: answer.hasRetryAfter, body: answer.body() })
        if (answers.length < 3) return connection.send("again")
        connection.end()
        resolve()
      }
      const connection = new Connection(
        0,
        port,
        () => connection.send("first"),
        onAnswer,
        () => undefined
      )
    })
    server.close()
    expect(answers).toEqual(Array(3).fill({ status: 503, hasRetryAfter: true, body }))
  })
})

describe("Options", () => {
  it("names every fault at once", () => {
    expect(parse(["--rounds", "0", "--only", "accruals,nothing,wal", "--against", "x"])).toBe(
      "--only knows no nothing\n--against compares no wal\n--rounds must be a whole number from 1"
    )
    expect(parse(["--help"])).toBeUndefined()
    expect(parse(["--only", "mix"])).toMatchObject({ only: new Set(["mix"]), rounds: 5 })
    expect(parse(["--against", "x"])).toMatchObject({ only: new Set(["accruals"]) })
  })
})
