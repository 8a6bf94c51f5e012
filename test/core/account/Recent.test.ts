/** Recently committed data is found in memory, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import * as Bounds from "../../../src/core/account/Bounds.ts"
import type { RecordText } from "../../../src/core/account/Codec.ts"
import { RecentWork } from "../../../src/core/account/Recent.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"
import type { ClaimHolder } from "../../../src/core/journal/Records.ts"

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

  it("added twice are kept once", () => {
    const recent = new RecentWork()
    recent.holds(holder(0))
    for (const index of range(Bounds.keptClaims)) recent.holds(holder(1 + (index % 1_000)))
    assert.deepStrictEqual(recent.holder(holder(0).key), holder(0))
  })

  it("are evicted by later ones, the last of all never", () => {
    const recent = new RecentWork()
    const count = 4 * Bounds.keptClaims
    for (const index of range(count)) {
      recent.holds(holder(index))
      if (recent.holder(holder(index).key)?.seq !== index + 1) assert.fail(`claim ${index} is gone at once`)
    }
    const kept = range(count).filter((index) => recent.holder(holder(index).key) !== undefined)
    assert.isAtMost(kept.length, Bounds.keptClaims)
    assert.isAtLeast(kept.length, Bounds.keptClaims / 2)
  })
})

describe("recent records", () => {
  it("are found by account and seq, and evicted by later ones", () => {
    const recent = new RecentWork()
    const count = 2 * Bounds.keptRecords
    const nth = (index: number) => record(1 + (index % 100), 1 + index)
    const find = ({ account, seq }: RecordText) => recent.record(account, seq)
    for (const index of range(count)) {
      recent.keep(nth(index))
      assert.deepStrictEqual(find(nth(index)), nth(index))
    }
    assert.strictEqual(recent.record(nth(count - 1).account + 1, count), undefined)
    const kept = range(count).filter((index) => find(nth(index)) !== undefined)
    assert.isAtMost(kept.length, Bounds.keptRecords)
    assert.isAtLeast(kept.length, Bounds.keptRecords / 2)
  })

  it("stay while they are used", () => {
    const recent = new RecentWork()
    recent.keep(record(1, 1))
    for (const index of range(4 * Bounds.keptRecords)) {
      recent.keep(record(2, 1 + index))
      assert.deepStrictEqual(recent.record(1, 1), record(1, 1))
    }
  })

  it("are not kept where one is large", () => {
    const recent = new RecentWork()
    recent.keep({ ...record(1, 1), events: "x".repeat(Bounds.keptRecordChars) })
    assert.strictEqual(recent.record(1, 1), undefined)
  })
})
