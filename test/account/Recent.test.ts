/** What was committed lately is found again in memory, and nothing else is. */
import { assert, describe, it } from "@effect/vitest"
import * as Bounds from "../../src/account/Bounds.ts"
import type { RecordText } from "../../src/account/Codec.ts"
import { RecentWork } from "../../src/account/Recent.ts"
import { makeClaimKey } from "../../src/journal/Hashing.ts"
import type { ClaimHolder } from "../../src/journal/Journal.ts"

const claimKey = makeClaimKey("secret")
const holder = (index: number): ClaimHolder => ({
  key: claimKey("key", String(index)),
  fingerprint: claimKey("fingerprint", String(index)),
  account: 2 ** 40 + index,
  seq: index + 1
})
const record = (account: number, seq: number): RecordText => ({
  account,
  seq,
  at: 1_000 + seq,
  version: 1,
  events: `[${seq}]`,
  reply: `{"type":"none","of":${account}}`
})
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("recent claims", () => {
  it("come back whole, and only for their own keys", () => {
    const recent = new RecentWork()
    for (const index of range(1_000)) recent.holds(holder(index))
    for (const index of range(1_000)) assert.deepStrictEqual(recent.holder(holder(index).key), holder(index))
    for (const index of range(1_000)) assert.strictEqual(recent.holder(holder(1_000 + index).key), undefined)
  })

  it("are not found before anything was kept, not even a key of zeros", () => {
    assert.strictEqual(new RecentWork().holder("00000000-0000-0000-0000-000000000000"), undefined)
  })

  it("told again take no second place", () => {
    const recent = new RecentWork()
    recent.holds(holder(0))
    for (const index of range(Bounds.keptClaims)) recent.holds(holder(1 + (index % 1_000)))
    assert.deepStrictEqual(recent.holder(holder(0).key), holder(0))
  })

  it("give way to later ones, the last of all never", () => {
    const recent = new RecentWork()
    const count = 4 * Bounds.keptClaims
    for (const index of range(count)) {
      recent.holds(holder(index))
      if (recent.holder(holder(index).key)?.seq !== index + 1) assert.fail(`claim ${index} is gone at once`)
    }
    const kept = range(count).filter((index) => recent.holder(holder(index).key) !== undefined)
    assert.isAtMost(kept.length, Bounds.keptClaims)
    assert.isAbove(kept.length, 0.9 * Bounds.keptClaims)
  })
})

describe("recent records", () => {
  it("are found by account and seq, and give way to later ones", () => {
    const recent = new RecentWork()
    const count = 2 * Bounds.keptReplies
    const nth = (index: number) => record(1 + (index % 100), 1 + index)
    const find = ({ account, seq }: RecordText) => recent.record(account, seq)
    for (const index of range(count)) {
      recent.keep(nth(index))
      assert.deepStrictEqual(find(nth(index)), nth(index))
    }
    assert.strictEqual(recent.record(nth(count - 1).account + 1, count), undefined)
    const kept = range(count).filter((index) => find(nth(index)) !== undefined)
    assert.isAtMost(kept.length, Bounds.keptReplies)
    assert.isAbove(kept.length, 0.9 * Bounds.keptReplies)
  })
  it("are their text to the letter, whatever it is written in", () => {
    const recent = new RecentWork()
    const text = '["Zoë","東京","🍜","\\ud800"]'
    const one: RecordText = { account: 7, seq: 3, at: 5, version: 2, events: text, reply: `{"note":${text}}` }
    recent.keep(record(7, 2))
    recent.keep(one)
    recent.keep(record(7, 4))
    assert.deepStrictEqual(recent.record(7, 3), one)
  })

  it("are there whole or not at all when their texts come round to the first again", () => {
    const recent = new RecentWork()
    const bytes = Bounds.keptReplyBytes / 100
    const nth = (index: number): RecordText => ({
      ...record(1, 1 + index),
      events: String(index % 10).repeat(bytes - (index % 7)),
      reply: "é".repeat(index % 50)
    })
    const count = 1_000
    for (const index of range(count)) {
      recent.keep(nth(index))
      assert.deepStrictEqual(recent.record(1, 1 + index), nth(index))
      for (let before = Math.max(0, index - 120); before < index; before += 7) {
        const found = recent.record(1, 1 + before)
        if (found !== undefined) assert.deepStrictEqual(found, nth(before))
      }
    }
    const kept = range(count).filter((index) => recent.record(1, 1 + index) !== undefined)
    assert.isAtMost(kept.length, 101)
    assert.isAbove(kept.length, 90)
  })

  it("are not kept where one would push out many", () => {
    const recent = new RecentWork()
    recent.keep(record(1, 1))
    recent.keep({ ...record(1, 2), events: "x".repeat(Bounds.keptReplyBytes / 8) })
    assert.strictEqual(recent.record(1, 2), undefined)
    assert.deepStrictEqual(recent.record(1, 1), record(1, 1))
  })
})
