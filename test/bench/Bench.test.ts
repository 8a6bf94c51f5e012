/** What the benchmark's figures rest on: percentiles, the shares of the mix, the reading of answers. */
import { describe, expect, it } from "@effect/vitest"
import * as net from "node:net"
import type { Attempt } from "./Attempt.ts"
import { isSteady, peak } from "./Attempt.ts"
import { composers } from "./Bodies.ts"
import { Standstill } from "./Disk.ts"
import { spread } from "./Figures.ts"
import { Histogram } from "./Histogram.ts"
import type { Job } from "./Job.ts"
import type { Answer } from "./Line.ts"
import { Line } from "./Line.ts"
import { parse } from "./Options.ts"
import { together } from "./Pauses.ts"
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

describe("Figures", () => {
  it("takes the median of an even and an odd number of rounds", () => {
    expect(spread([3, 1, 2])).toMatchObject({ median: 2, min: 1, max: 3 })
    expect(spread([4, 1, 2, 3])?.median).toBe(2.5)
    expect(spread([])).toBeUndefined()
  })
})

describe("Attempts", () => {
  const calm = { stolenCores: 0, othersCores: 0, diskStill: 0, paused: 0 }
  const attempt = (before: number, after?: number, fixed?: Partial<typeof calm>, saturated?: Partial<typeof calm>) => {
    const at = (rate: number) => ({ rate, cost: { ...calm, ...saturated } })
    return {
      saturation: at(before),
      fixed: { rate: 1, cost: { ...calm, ...fixed } },
      after: after === undefined ? undefined : at(after)
    } as Attempt
  }

  it("holds an attempt void when the machine became faster or slower by more than 15 % under it", () => {
    expect([attempt(100, 86), attempt(86, 100), attempt(100, 100)].map(isSteady)).toEqual([true, true, true])
    expect([attempt(100, 84), attempt(84, 100)].map(isSteady)).toEqual([false, false])
  })

  it("holds an attempt void when the machine's host took more than a hundredth of a core, or at saturation a twenty-fifth", () => {
    const fixed = [0.01, 0.011].map((stolenCores) => attempt(100, 100, { stolenCores }))
    const saturated = [0.04, 0.05].map((stolenCores) => attempt(100, 100, {}, { stolenCores }))
    expect([...fixed, ...saturated].map(isSteady)).toEqual([true, false, true, false])
  })

  it("holds an attempt void when the disk stood still for a two-hundredth of the time, or at saturation a twentieth", () => {
    const fixed = [0.005, 0.006].map((diskStill) => attempt(100, 100, { diskStill }))
    const saturated = [0.05, 0.06].map((diskStill) => attempt(100, 100, {}, { diskStill }))
    expect([...fixed, ...saturated].map(isSteady)).toEqual([true, false, true, false])
  })

  it("holds an attempt void when the machine stood still for a two-hundredth of the time, or at saturation a twentieth", () => {
    const fixed = [0.005, 0.006].map((paused) => attempt(100, 100, { paused }))
    const saturated = [0.05, 0.06].map((paused) => attempt(100, 100, {}, { paused }))
    expect([...fixed, ...saturated].map(isSteady)).toEqual([true, false, true, false])
  })

  it("holds an attempt void when others on the machine used more than a twentieth of a core, or at saturation a fifth", () => {
    const fixed = [0.05, 0.06].map((othersCores) => attempt(100, 100, { othersCores }))
    const saturated = [0.2, 0.21].map((othersCores) => attempt(100, 100, {}, { othersCores }))
    expect([...fixed, ...saturated].map(isSteady)).toEqual([true, false, true, false])
  })

  it("takes the peak from before and after, where there is an after", () => {
    expect(peak(attempt(100, 90))).toBe(95)
    expect(peak(attempt(100))).toBe(100)
    expect(isSteady(attempt(100))).toBe(true)
  })
})

describe("Standstill", () => {
  const total = (...looks: ReadonlyArray<readonly [at: number, underWay: number, finished: number]>) => {
    const standstill = new Standstill()
    for (const [at, underWay, finished] of looks) standstill.see({ at, underWay, finished })
    return standstill.total()
  }

  it("counts while something is under way and nothing is finished, from 20 ms at a time", () => {
    expect(total([0, 1, 7], [10, 1, 7], [20, 2, 7], [30, 1, 8])).toBe(20)
    expect(total([0, 1, 7], [10, 1, 7], [19, 1, 7], [30, 1, 8])).toBe(0)
    expect(total([0, 1, 7], [25, 1, 7], [30, 1, 8], [35, 1, 9], [65, 1, 9])).toBe(55)
  })

  it("does not count an idle disk, nor one that finishes something between two looks", () => {
    expect(total([0, 0, 7], [100, 0, 7], [200, 1, 7])).toBe(0)
    expect(total([0, 1, 7], [100, 1, 8], [200, 1, 9])).toBe(0)
  })
})

describe("Pauses", () => {
  const at = (from: number, until: number) => ({ from, until })

  it("counts while all threads are late, from 10 ms at a time", () => {
    expect(together([[at(0, 10)], [at(0, 10)]])).toBe(10)
    expect(together([[at(0, 50)], [at(30, 70)]])).toBe(20)
    expect(
      together([
        [at(0, 50), at(100, 120)],
        [at(5, 25), at(40, 48), at(100, 130)]
      ])
    ).toBe(40)
    expect(together([[at(0, 9)], [at(0, 50)]])).toBe(0)
  })

  it("does not count while one of them is awake", () => {
    expect(together([[at(0, 50)], []])).toBe(0)
    expect(together([[at(0, 50)], [at(50, 100)]])).toBe(0)
    expect(together([[at(0, 50)], [at(0, 50)], [at(60, 90)]])).toBe(0)
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
    const { tills } = tillsOf(job({ type: "accruals", members, each: 2 }))
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

describe("Line", () => {
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
      const onAnswer = (line: Line, answer: Answer) => {
        answers.push({ status: answer.status, hasRetryAfter: answer.hasRetryAfter, body: answer.body() })
        if (answers.length < 3) return line.send("again")
        line.end()
        resolve()
      }
      const line = new Line(
        0,
        port,
        () => line.send("first"),
        onAnswer,
        () => undefined
      )
    })
    server.close()
    expect(answers).toEqual(Array(3).fill({ status: 503, hasRetryAfter: true, body }))
  })
})

describe("Options", () => {
  it("tells every fault at once", () => {
    expect(parse(["--rounds", "0", "--only", "accruals,nothing,large"], "x.json")).toBe(
      "--only knows no nothing\nlarge needs --data-dir\n--rounds must be a whole number from 1"
    )
    expect(parse(["--help"], "x.json")).toBeUndefined()
    expect(parse(["--only", "mix"], "x.json")).toMatchObject({ only: new Set(["mix"]), rounds: 5, json: "x.json" })
  })
})
