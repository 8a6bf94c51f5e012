/**
 * Random sales, refunds, rewards, losses of requests and answers, kills and restarts of a till, over the real rules of the
 * service in memory: nothing that was accepted is doubled, lost or stuck, each guest's sales keep their order, and no hold
 * stays open. `TILL_SEED` repeats a run.
 */
import { assert, it } from "@effect/vitest"
import type { Hold, TillClient, TillStore } from "lotbook/client"
import { memoryStore, Till } from "lotbook/client"
import type { Random } from "../model/Random.ts"
import * as RandomOf from "../model/Random.ts"
import type { Loss } from "./TillService.ts"
import { card, errorOf, order, programId, startedAt, TillService } from "./TillService.ts"

const runs = 40
const steps = 60
const guests = ["ada", "bob", "eve", "mia"]
const lossShare = 0.35

const never = new Promise<never>(() => undefined)
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A till that can be killed: from then on nothing it began comes back, wherever it was. */
class Life {
  isDead = false
  readonly till: Till
  readonly refused = new Set<string>()
  private readonly random: Random

  constructor(random: Random, kept: Map<string, string>, client: TillClient) {
    this.random = random
    const store = memoryStore(kept)
    const guarded: TillStore = {
      open: () => store.open(),
      close: () => store.close(),
      put: (id, text) => this.alive(() => store.put(id, text)),
      remove: (id) => this.alive(() => store.remove(id))
    }
    this.till = new Till({
      client: { request: (request) => this.alive(() => client.request(request)) },
      store: guarded,
      programId,
      parallel: 3,
      now: () => startedAt,
      random: random.next,
      wait: turn
    })
  }

  /** A kill comes before the work, or between it and what follows. */
  private async alive<A>(work: () => Promise<A>): Promise<A> {
    if (this.random.next() < 0.3) await turn()
    if (this.isDead) return never
    const done = await work().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error
      }
    )
    if (this.random.next() < 0.3) await turn()
    return this.isDead ? never : done()
  }

  kill(): void {
    this.isDead = true
  }
}

interface Sale {
  readonly guest: string
  readonly id: string
  readonly amount: number
  /** The till said that it keeps it. */
  isAccepted: boolean
  isWrong: boolean
  refund?: { readonly amount: number; isAccepted: boolean }
}

class Run {
  private readonly random: Random
  private readonly service: TillService
  private readonly kept = new Map<string, string>()
  private readonly sales: Array<Sale> = []
  private readonly captured = new Map<string, string>()
  private readonly undecided: Array<{ readonly life: Life; readonly hold: Hold; readonly guest: string }> = []
  private losses = true
  private life: Life
  kills = 0
  lost = 0

  constructor(service: TillService, random: Random) {
    this.service = service
    this.random = random
    this.life = this.born()
  }

  private born(): Life {
    return new Life(
      this.random,
      this.kept,
      this.service.client(() => this.lose())
    )
  }

  private lose(): Loss {
    if (!this.losses || this.random.next() >= lossShare) return undefined
    this.lost++
    const status = this.random.pick([401, 429, 500, 503])
    return this.random.pick([
      "request",
      "answer",
      errorOf({ kind: "problem", status, code: "later", retryAfterMs: 1 })
    ] as const)
  }

  /** A promise of a dead till may stay open. */
  private track(promise: Promise<unknown>, done: () => void): void {
    promise.then(done, () => undefined)
  }

  private sell(): void {
    const id = `o-${this.sales.length}`
    const sale: Sale = {
      guest: this.random.pick(guests),
      id,
      amount: this.random.whole(1, 9) * 100,
      isAccepted: false,
      isWrong: this.random.next() < 0.1
    }
    this.sales.push(sale)
    const { amount, guest, isWrong } = sale
    const sold = isWrong ? order(id, amount, { status: "open" }) : order(id, amount)
    this.track(this.life.till.sale({ order: sold, card: card(guest) }), () => (sale.isAccepted = true))
  }

  private refund(): void {
    const sale = this.random.pick(this.sales)
    if (sale.refund !== undefined || !sale.isAccepted || sale.isWrong) return
    const refund = { amount: this.random.whole(1, sale.amount / 100) * 100, isAccepted: false }
    sale.refund = refund
    const minus = { amount: -refund.amount, currency: "USD" }
    const adjustment = {
      adjustment_id: `refund-${sale.id}`,
      original_order_id: sale.id,
      type: "partial_refund",
      reason: "cold",
      occurred_at: new Date(startedAt).toISOString(),
      order_total_delta: minus,
      eligible_spend_delta: minus
    } as const
    this.track(this.life.till.adjust({ adjustment, card: card(sale.guest) }), () => (refund.isAccepted = true))
  }

  private async reserve(number: number): Promise<void> {
    const guest = this.random.pick(guests)
    const memberId = await this.service.member(guest)
    const { life } = this
    if (memberId === undefined) return
    const input = {
      redemptionId: `r-${number}`,
      memberId,
      rewardId: "summer-special",
      order: order(`held-${number}`, 100, { status: "authorized" })
    }
    life.till.reserve(input).then(
      (hold) => this.undecided.push({ life, hold, guest }),
      () => undefined
    )
  }

  private decide(): void {
    const one = this.undecided.pop()
    if (one === undefined || one.life !== this.life) return
    const { guest, hold } = one
    const { random, life } = this
    if (random.next() < 0.3) this.track(life.till.reverse(hold, "changed their mind"), () => undefined)
    else this.track(life.till.capture(hold), () => this.captured.set(hold.redemptionId, guest))
  }

  private async step(number: number): Promise<void> {
    const chance = this.random.next()
    if (chance < 0.45 || this.sales.length === 0) this.sell()
    else if (chance < 0.6) this.refund()
    else if (chance < 0.7) await this.reserve(number)
    else if (chance < 0.8) this.decide()
    else if (chance < 0.88) {
      this.kills++
      this.life.kill()
      this.life = this.born()
    } else if (chance < 0.9) this.track(this.life.till.start(), () => undefined)
    else await turn()
  }

  async play(): Promise<void> {
    for (let n = 0; n < steps; n++) await this.step(n)
    this.life.kill()
    this.losses = false
    this.life = this.born()
    const { till } = this.life
    await till.drained()
    for (const { id, job } of await till.refused()) {
      if (job.kind !== "sale") continue
      const sale = this.sales.find((one) => one.id === job.order.order_id)!
      assert.isTrue(sale.isWrong, `${id} was refused`)
      await till.mend(id, { order: order(sale.id, sale.amount) })
    }
    await till.drained()
    const left = (await till.refused()).map(({ id, refusal }) => `${id} ${refusal.code}`)
    assert.deepStrictEqual(left, [])
    await till.stop()
    assert.strictEqual(this.kept.size, 0)
    for (const guest of guests) await this.check(guest)
  }

  private async check(guest: string): Promise<void> {
    const memberId = await this.service.member(guest)
    const mine = this.sales.filter((sale) => sale.guest === guest)
    const entries = memberId === undefined ? [] : (await this.service.ledger(memberId)).toReversed()
    const posted = entries.filter(({ operation }) => operation === "accrual").map(({ order_id }) => order_id!)
    assert.strictEqual(new Set(posted).size, posted.length, "nothing is doubled")
    for (const { id, isAccepted } of mine) if (isAccepted) assert.include(posted, id, "nothing is lost")
    const straight = posted.filter((id) => mine.some((sale) => sale.id === id && !sale.isWrong))
    const numbers = straight.map((id) => Number(id.slice(2)))
    assert.deepStrictEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      "each guest's sales keep their order"
    )
    const refunded = entries.filter(({ operation }) => operation === "adjustment").map(({ order_id }) => order_id!)
    assert.strictEqual(new Set(refunded).size, refunded.length, "no refund is doubled")
    for (const { id, refund } of mine) if (refund?.isAccepted) assert.include(refunded, id, "no refund is lost")
    if (memberId === undefined) return
    const { amount, reserved } = await this.service.points(memberId)
    assert.strictEqual(reserved, 0, "no hold stays open")
    assert.strictEqual(
      amount,
      entries.reduce((sum, entry) => sum + entry.amount, 0)
    )
    const captures = entries.filter(({ operation }) => operation === "redemption").length
    const reversals = entries.filter(({ operation }) => operation === "reversal").length
    const owed = [...this.captured.values()].filter((one) => one === guest).length
    assert.isAtLeast(captures, owed, "what was to be captured is")
    assert.strictEqual(reversals, 0, "no captured reward is reversed by a restart")
  }
}

it(`${runs} random runs: nothing doubled, lost, stuck or left open`, async () => {
  const first = Number(process.env["TILL_SEED"] ?? Date.now() % 1_000_000)
  const seeds = process.env["TILL_SEED"] === undefined ? Array.from({ length: runs }, (_, n) => first + n) : [first]
  let [kills, lost] = [0, 0]
  for (const seed of seeds) {
    const service = await new TillService().start()
    const run = new Run(service, RandomOf.make(seed, "till"))
    await run.play().catch((error: unknown) => {
      throw new Error(`TILL_SEED=${seed}: ${String(error)}`, { cause: error })
    })
    await service.close()
    kills += run.kills
    lost += run.lost
  }
  if (seeds.length > 1) assert.isAbove(Math.min(kills, lost), runs, "kills and losses happened")
})
