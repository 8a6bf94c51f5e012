/**
 * The journal in memory, for tests and for developers' own suites: the same
 * group commit over plain maps, so that what holds here holds on PostgreSQL.
 */
import { Context, Effect, Layer } from "effect"
import type { AuditEntry } from "./Audit.ts"
import type { ComputedDue, DueReads } from "./DueReads.ts"
import type { Verdict, Write } from "./GroupCommit.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as JournalOf from "./Journal.ts"
import { Journal } from "./Journal.ts"
import type {
  AccountNumber,
  ClaimHolder,
  DueAccount,
  IdentityChange,
  IssuedRewardRow,
  JournalRecord,
  LedgerRow,
  MemberRow,
  MemberStatus,
  Snapshot,
  StoredRecord
} from "./Records.ts"

interface MemoryAccount {
  readonly programId: string
  readonly memberId: string
  member: MemberRow
  readonly records: Array<StoredRecord>
  readonly entries: Array<LedgerRow>
  /** seq of each entry's record. */
  readonly postedBy: Array<number>
  readonly rewards: Map<string, IssuedRewardRow>
  /** Personal data that answers showed, by seq. */
  readonly shown: Map<number, MemberRow>
  nextDue: number | null
  /** The version of the programme by which `nextDue` was computed. */
  dueVersion: number
  status: MemberStatus
}

/** A member's name as one text; neither part holds a NUL. */
const nameOf = (programId: string, memberId: string): string => `${programId}\0${memberId}`

/** Accounts by when they are next due: instants in order, the accounts of each in the order they came. */
class DueIndex {
  private readonly instants: Array<number> = []
  private readonly accounts = new Map<number, Set<AccountNumber>>()

  move(account: AccountNumber, from: number | null, to: number | null): void {
    if (from === to) return
    const left = from === null ? undefined : this.accounts.get(from)
    if (from !== null && left?.delete(account) === true && left.size === 0) {
      this.accounts.delete(from)
      this.instants.splice(this.place(from), 1)
    }
    if (to === null) return
    const there = this.accounts.get(to)
    if (there !== undefined) there.add(account)
    else {
      this.accounts.set(to, new Set([account]))
      this.instants.splice(this.place(to), 0, to)
    }
  }

  until(
    until: number,
    limit: number,
    skipped: ReadonlySet<AccountNumber>,
    partitions: ReadonlySet<number> | undefined
  ): ReadonlyArray<DueAccount> {
    const due: Array<DueAccount> = []
    for (const at of this.instants) {
      if (at > until) break
      for (const account of this.accounts.get(at) ?? []) {
        if (due.length >= limit) return due
        if (partitions?.has(account & 255) === false) continue
        if (!skipped.has(account)) due.push({ account, at })
      }
    }
    return due
  }

  /** Where an instant is among the others, or belongs. */
  private place(at: number): number {
    let low = 0
    let high = this.instants.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.instants[middle]! < at) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Everything the in-memory journal holds; it outlives the layers that are built over it, as a database does. */
export class MemoryTables {
  readonly accounts = new Map<AccountNumber, MemoryAccount>()
  /** Account numbers by programme and member id. */
  readonly names = new Map<string, AccountNumber>()
  readonly due = new DueIndex()
  readonly claims = new Map<string, ClaimHolder>()
  /** Keys with an end, which nothing here drops. */
  readonly keys = new Map<string, ClaimHolder>()
  /** Members by the key of an identity. */
  readonly identities = new Map<string, Pick<ClaimHolder, "account" | "seq">>()
  readonly snapshots = new Map<AccountNumber, Snapshot>()
  /** Every record, in the order in which they were committed. */
  readonly log: Array<StoredRecord> = []
  /** In the order of their records. */
  readonly audit: Array<AuditEntry> = []
  frozen = false
  /** Of the programmes: records that were decided under another one are rejected. */
  revision = 0
  lastNumber = 0

  /** One verdict a record. A rejected record writes nothing and takes its successors with it. */
  write(group: ReadonlyArray<JournalRecord>, isLinked = false): ReadonlyArray<Verdict> {
    if (isLinked && !this.frozen) {
      const verdicts = group.map((record) => this.judge(record, group))
      if (verdicts.some(({ _tag }) => _tag !== "committed"))
        return verdicts.map((verdict) => (verdict._tag === "committed" ? { _tag: "superseded" } : verdict))
    }
    const out = new Set<AccountNumber>()
    return group.map((record): Verdict => {
      if (this.frozen) return { _tag: "frozen" }
      if (out.has(record.account)) return { _tag: "superseded" }
      const verdict = this.judge(record, group)
      if (verdict._tag === "committed") this.log.push(this.apply(record))
      else out.add(record.account)
      return verdict
    })
  }

  private judge(record: JournalRecord, group: ReadonlyArray<JournalRecord>): Verdict {
    if (record.revision !== this.revision) return { _tag: "outdated" }
    for (const { key } of record.claims) {
      const holder = this.holder(key)
      if (holder !== undefined) return { _tag: "taken", holder }
    }
    for (const { added, key } of record.identities ?? []) {
      const holder = this.identities.get(key)
      // One that its holder loses in this very group is free: linked records move it.
      const loser = group.find(({ account }) => account === holder?.account)
      const isFreed = loser?.identities?.some((one) => one.key === key && !one.added) === true
      if (added && holder !== undefined && !isFreed)
        return { _tag: "taken", holder: { key, fingerprint: key, ...holder } }
    }
    const seq = this.accounts.get(record.account)?.records.length ?? 0
    return record.seq === seq + 1 && (seq > 0 || record.opens !== undefined) ? { _tag: "committed" } : { _tag: "stale" }
  }

  private apply(record: JournalRecord): StoredRecord {
    const {
      account,
      audit,
      claims,
      entries,
      identities = [],
      issuedRewards,
      member,
      opens,
      profile,
      seq,
      totals
    } = record
    if (opens !== undefined) {
      const { attributes, identities, memberId, programId } = opens
      const member = attributes === undefined ? { identities } : { identities, attributes }
      this.names.set(nameOf(programId, memberId), account)
      this.accounts.set(account, {
        programId,
        memberId,
        member,
        records: [],
        entries: [],
        postedBy: [],
        rewards: new Map(),
        shown: new Map(),
        nextDue: null,
        dueVersion: 0,
        status: "active"
      })
    }
    const there = this.accounts.get(account)
    if (there === undefined) throw new Error(`account ${account} was never opened`)
    const stored = storedOf(record)
    there.records.push(stored)
    there.member = member ?? there.member
    if (profile?.type === "shown") there.shown.set(seq, profile.member)
    if (profile?.type === "erase")
      for (const erased of [account, ...profile.merged]) this.accounts.get(erased)?.shown.clear()
    there.entries.push(...entries)
    there.postedBy.push(...entries.map(() => seq))
    for (const reward of issuedRewards) there.rewards.set(reward.issuedRewardId, reward)
    this.due.move(account, there.nextDue, totals.nextDue)
    there.nextDue = totals.nextDue
    there.dueVersion = record.programVersion
    there.status = totals.status
    for (const { fingerprint, hasEnd, key } of claims)
      (hasEnd === true ? this.keys : this.claims).set(key, { key, fingerprint, account, seq })
    for (const change of identities) this.identify(change, account, seq)
    if (audit !== undefined) this.audit.push(audit)
    return stored
  }

  holder(key: string): ClaimHolder | undefined {
    return this.claims.get(key) ?? this.keys.get(key)
  }

  saveDue(account: AccountNumber, { at, seq, version }: ComputedDue): void {
    const there = this.accounts.get(account)
    if (there === undefined || there.records.length !== seq || there.dueVersion >= version) return
    this.due.move(account, there.nextDue, at)
    there.nextDue = at
    there.dueVersion = version
  }

  private identify({ added, key }: IdentityChange, account: AccountNumber, seq: number): void {
    if (added) this.identities.set(key, { account, seq })
    else if (this.identities.get(key)?.account === account) this.identities.delete(key)
  }
}

const storedOf = (record: JournalRecord): StoredRecord => {
  const { account, actor, announced, at, balances, events, hash, origin, programVersion, reply, seq, version } = record
  return { account, seq, at, version, events, reply, programVersion, actor, origin, balances, announced, hash }
}

const holdersOf = (tables: MemoryTables, keys: ReadonlyArray<string>): ReadonlyArray<ClaimHolder> =>
  keys.flatMap((key) => {
    const holder = tables.holder(key)
    return holder === undefined ? [] : [holder]
  })

const dueReads = (tables: MemoryTables): DueReads => ({
  due: (until, limit, skipped, partitions) =>
    Effect.sync(() =>
      tables.due.until(until, limit, new Set(skipped), partitions === undefined ? undefined : new Set(partitions))
    ),
  outdated: (inForce, limit, skipped, partitions) =>
    Effect.sync(() => {
      const versions = new Map(inForce.map(({ id, version }) => [id, version]))
      const found: Array<AccountNumber> = []
      for (const [number, { dueVersion, programId, status }] of tables.accounts) {
        if (found.length === limit) break
        if (status === "closed") continue
        const isOwned = partitions === undefined || partitions.includes(number & 255)
        if (dueVersion < (versions.get(programId) ?? 0) && isOwned && !skipped.includes(number)) found.push(number)
      }
      return found
    }),
  saveDue: (number, due) => Effect.sync(() => tables.saveDue(number, due))
})

/** Memory is never restored, and has no spans. */
const none = { lostAfter: Effect.undefined, sealed: () => Effect.undefined }

const readsAndSwitches = (tables: MemoryTables): JournalOf.ReadsAndSwitches => ({
  ...dueReads(tables),
  ...none,
  holders: (keys, key) => Effect.sync(() => holdersOf(tables, key === undefined ? keys : [key, ...keys])),
  witness: (number, keys, key) =>
    Effect.sync(() => ({
      seq: tables.accounts.get(number)?.records.length ?? 0,
      revision: tables.revision,
      holders: holdersOf(tables, key === undefined ? keys : [key, ...keys])
    })),
  findIdentity: (key) => Effect.sync(() => tables.identities.get(key)?.account),
  findAccount: (programId, memberId) => Effect.sync(() => tables.names.get(nameOf(programId, memberId))),
  loadAccount: (number) =>
    Effect.sync(() => {
      const account = tables.accounts.get(number)
      if (account === undefined) return undefined
      const { member, memberId, nextDue, programId, records } = account
      const snapshot = tables.snapshots.get(number)
      return { number, programId, memberId, seq: records.length, nextDue, member, snapshot }
    }),
  shownMember: (number, seq) => Effect.sync(() => tables.accounts.get(number)?.shown.get(seq)),
  records: (number, fromSeq, limit) =>
    Effect.sync(() => tables.accounts.get(number)?.records.slice(fromSeq - 1, fromSeq - 1 + limit) ?? []),
  ledger: (query) =>
    Effect.sync(() =>
      (tables.accounts.get(query.account)?.entries ?? [])
        .filter(
          (entry) =>
            entry.n < (query.beforeN ?? Infinity) &&
            (query.unit === undefined || entry.unit === query.unit) &&
            (query.operations === undefined || query.operations.includes(entry.operation)) &&
            entry.occurredAt >= (query.occurredFrom ?? -Infinity) &&
            entry.occurredAt <= (query.occurredUntil ?? Infinity)
        )
        .reverse()
        .slice(0, query.limit)
    ),
  entriesOtherThan: (number, amounts) =>
    Effect.sync(() =>
      amounts.flatMap(([n, amount]) => (tables.accounts.get(number)?.entries[n - 1]?.amount === amount ? [] : [n]))
    ),
  recordsOf: (number, ns) =>
    Effect.sync(() =>
      (tables.accounts.get(number)?.records ?? []).filter(({ seq }) =>
        ns.some((n) => tables.accounts.get(number)?.postedBy[n - 1] === seq)
      )
    ),
  recordAt: (number, until) =>
    Effect.sync(() => tables.accounts.get(number)?.records.findLast(({ at }) => at <= until)),
  issuedRewards: (number) =>
    Effect.sync(() => [...(tables.accounts.get(number)?.rewards.values() ?? [])].sort((a, b) => b.n - a.n)),
  saveSnapshot: (number, snapshot) =>
    Effect.sync(() => {
      const kept = tables.snapshots.get(number)
      const isNewer =
        kept === undefined ||
        kept.seq < snapshot.seq ||
        (kept.seq === snapshot.seq && (kept.version !== snapshot.version || kept.state !== snapshot.state))
      if (isNewer) tables.snapshots.set(number, snapshot)
    }),
  newestAt: Effect.sync(() => {
    let newest: number | undefined
    for (const { records } of tables.accounts.values()) {
      const at = records.at(-1)?.at
      if (at !== undefined && at > (newest ?? -Infinity)) newest = at
    }
    return newest
  }),
  revision: Effect.sync(() => tables.revision),
  isFrozen: Effect.sync(() => tables.frozen),
  setFrozen: (frozen, audit) =>
    Effect.sync(() => {
      tables.frozen = frozen
      if (audit !== undefined) tables.audit.push(audit)
    }),
  ping: Effect.void
})

/** The tables of the test that runs, and how groups reach them: tests put faults in between. */
export class MemoryStorage extends Context.Service<
  MemoryStorage,
  {
    readonly tables: MemoryTables
    readonly write: Write
  }
>()("lotbook/core/journal/MemoryStorage") {
  static readonly layer = Layer.sync(MemoryStorage, () => MemoryStorage.over(new MemoryTables()))

  static over(tables: MemoryTables): MemoryStorage["Service"] {
    return { tables, write: (group, isLinked) => Effect.sync(() => tables.write(group, isLinked)) }
  }
}

export const layer: Layer.Layer<Journal, never, MemoryStorage> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const { tables, write } = yield* MemoryStorage
    const commit = yield* GroupCommit.make({ open: () => Effect.succeed(write), connections: 1 })
    return JournalOf.make({
      commit,
      secret: "in-memory",
      readsAndSwitches: readsAndSwitches(tables),
      nextBlock: Effect.sync(() => ++tables.lastNumber),
      blockSize: 1
    })
  })
)
