/** Builders of journal records, and `append`: submit as an effect. */
import { Effect } from "effect"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import type {
  AppendOutcome,
  Claim,
  IssuedRewardRow,
  JournalRecord,
  LedgerRow
} from "../../../src/core/journal/Records.ts"

/** 2026-07-14T10:00:00Z */
export const start = Date.UTC(2026, 6, 14, 10)

/** A hash in the text form of a UUID. */
export const hash128 = (n: number): string => `00000000-0000-0000-0000-${n.toString(16).padStart(12, "0")}`

export const claim = (key: string, fingerprint = hash128(1)): Claim => ({ key, fingerprint })

export const entry = (n: number, fields: Partial<LedgerRow> = {}): LedgerRow => ({
  n,
  operation: "accrual",
  unit: "points",
  amount: 10,
  occurredAt: start + n,
  ...fields
})

export const issuedReward = (issuedRewardId: string, fields: Partial<IssuedRewardRow> = {}): IssuedRewardRow => ({
  issuedRewardId,
  n: 1,
  rewardId: "free-coffee",
  status: "issued",
  issuedAt: start,
  artifactType: "code",
  artifactValue: `code ${issuedRewardId}`,
  ...fields
})

/** The record `seq` of an account; its first one opens it. */
export const record = (account: number, seq: number, fields: Partial<JournalRecord> = {}): JournalRecord => ({
  account,
  seq,
  at: start + seq,
  version: 1,
  events: `[{"_tag":"Posted","seq":${seq}}]`,
  reply: `{"status":201}`,
  programVersion: 1,
  revision: 0,
  actor: "till",
  origin: "req-1 pos till-7",
  balances: `[["points",${seq * 10},0]]`,
  announced: seq,
  hash: hash128(account * 1_000_000 + seq),
  claims: [],
  entries: [entry(seq)],
  issuedRewards: [],
  totals: { nextDue: null, balance: seq * 10, status: "active" },
  opens: seq === 1 ? { programId: "demo", memberId: `member-${account}`, identities: [] } : undefined,
  ...fields
})

/** Fate of a record. */
export const append = (journal: Journal["Service"], record: JournalRecord): Effect.Effect<AppendOutcome> =>
  Effect.callback((resume) => journal.submit(record, (outcome) => resume(Effect.succeed(outcome))))

/** Submits all before it waits for any. */
export const appendAll = (
  journal: Journal["Service"],
  records: ReadonlyArray<JournalRecord>
): Effect.Effect<ReadonlyArray<AppendOutcome>> =>
  Effect.callback((resume) => {
    const outcomes = records.map((): AppendOutcome | undefined => undefined)
    let missing = records.length
    if (missing === 0) return resume(Effect.succeed([]))
    records.forEach((record, index) =>
      journal.submit(record, (outcome) => {
        if (outcomes[index] !== undefined) throw new Error("answered twice")
        outcomes[index] = outcome
        missing--
        if (missing === 0) resume(Effect.succeed(outcomes.filter((outcome) => outcome !== undefined)))
      })
    )
  })

export const tags = (outcomes: ReadonlyArray<AppendOutcome>): ReadonlyArray<AppendOutcome["_tag"]> =>
  outcomes.map((outcome) => outcome._tag)
