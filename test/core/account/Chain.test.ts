/** A record changed, taken out or put in by hand does not go unseen; an unknown format is not guessed at. */
import { assert, it } from "@effect/vitest"
import { chain, claimsText, isChained } from "../../../src/core/account/Chain.ts"
import { decodeRecord } from "../../../src/core/account/Codec.ts"
import { EVENT_VERSION } from "../../../src/core/account/domain/AccountEvent.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"
import type { StoredRecord } from "../../../src/core/journal/Records.ts"

const claimKey = makeClaimKey("secret")
const claims = ["b", "c", "a"].map((name) => ({ key: claimKey(name), fingerprint: claimKey("facts", name) }))
const text = {
  ...{ account: 7, seq: 3, at: 1_000, version: EVENT_VERSION, events: "[]", reply: '{"type":"none"}' },
  ...{ programVersion: 2, actor: "till", origin: "req-1 pos", balances: '[["points",5,0]]' }
}
const stored: StoredRecord = { ...text, announced: 4, hash: chain(claimKey, "before", text, claims) }

it("a record fits on top of the one before, in whichever order its claims are read", () => {
  for (const read of [claims, claims.toReversed()])
    assert.isTrue(isChained(claimKey, "before", stored, claimsText(read)))
})

it("a record with any part changed does not fit", () => {
  const changed: ReadonlyArray<StoredRecord> = [
    { ...stored, account: 8 },
    { ...stored, seq: 4 },
    { ...stored, at: 1_001 },
    { ...stored, version: EVENT_VERSION + 1 },
    { ...stored, events: "[ ]" },
    { ...stored, reply: `${stored.reply} ` },
    { ...stored, programVersion: 1 },
    { ...stored, actor: "another" },
    { ...stored, actor: undefined },
    { ...stored, origin: "req-2 pos" },
    { ...stored, origin: undefined },
    { ...stored, balances: '[["points",6,0]]' }
  ]
  for (const record of changed) assert.isFalse(isChained(claimKey, "before", record, claimsText(claims)))
  assert.isFalse(isChained(claimKey, "other", stored, claimsText(claims)))
  assert.isFalse(isChained(claimKey, "before", stored, claimsText(claims.slice(1))))
})

it("a record of an unknown format is refused by name", () => {
  for (const version of [EVENT_VERSION - 1, EVENT_VERSION + 1])
    assert.throws(() => decodeRecord({ ...text, version }), /record 7\/3 has format/)
})
