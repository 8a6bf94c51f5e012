/**
 * Rules that every version of the journal must keep; run against each of them. The
 * tests of one version share its tables, so each takes accounts and keys of its own.
 */
import { assert, it } from "@effect/vitest"
import type { Layer } from "effect"
import { Effect } from "effect"
import { Journal } from "../../../src/core/journal/Journal.ts"
import type { AppendOutcome, JournalRecord } from "../../../src/core/journal/Records.ts"
import { append, appendAll, claim, entry, hash128, issuedReward, record, start, tags } from "./Records.ts"

/** Absent and undefined are the same to the contract. */
const plain = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

export const journalSuite = <E>(name: string, layer: Layer.Layer<Journal, E>): void =>
  it.layer(layer)(name, (it) => {
    const stored = (record: JournalRecord) => {
      const { account, actor, at, balances, announced, events, hash, origin, programVersion, reply, seq, version } =
        record
      return { account, seq, at, version, events, reply, programVersion, actor, origin, balances, announced, hash }
    }

    it.effect("commits a record whole and reads it back", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        const first = record(account, 1, {
          events: `[{"name":"Zoë \\"quoted\\", {braces} \\\\ 咖啡"}]`,
          claims: [claim(journal.claimKey("key", `${account}`), hash128(7))],
          opens: {
            programId: "demo",
            memberId: `guest ${account}`,
            identities: [{ type: "email_hash", value: "abc", issuer: "pos" }],
            attributes: { name: "Zoë", nested: [1, null, { a: "b" }] }
          },
          totals: { nextDue: null, balance: -5, status: "suspended" },
          entries: [
            entry(1, {
              operation: "manual",
              amount: -Number.MAX_SAFE_INTEGER,
              expiresAt: start + 5,
              relatedN: 1,
              orderId: "order,1",
              locationId: "NULL",
              adjustmentId: "",
              reservationId: 'r"1',
              classification: "gift",
              reason: "because",
              qualifiesForTier: false
            }),
            entry(2, { amount: 2 ** 31, expiresAt: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })
          ]
        })
        const second = record(account, 2, { entries: [], actor: undefined, origin: undefined, programVersion: 2 })
        assert.deepStrictEqual(yield* append(journal, first), { _tag: "committed" })
        assert.deepStrictEqual(yield* append(journal, second), { _tag: "committed" })
        assert.deepStrictEqual(yield* journal.records(account, 1, 10), [stored(first), stored(second)])
        assert.deepStrictEqual(yield* journal.records(account, 2, 10), [stored(second)])
        assert.deepStrictEqual(yield* journal.records(account, 1, 1), [stored(first)])
        assert.deepStrictEqual(plain(yield* journal.ledger({ account, limit: 10 })), [...first.entries].reverse())
        assert.strictEqual(yield* journal.findAccount("demo", `guest ${account}`), account)
        assert.strictEqual(yield* journal.findAccount("other", `guest ${account}`), undefined)
        assert.deepStrictEqual(plain(yield* journal.loadAccount(account)), {
          number: account,
          programId: "demo",
          memberId: `guest ${account}`,
          seq: 2,
          nextDue: null,
          member: { identities: first.opens!.identities, attributes: first.opens!.attributes }
        })
        assert.strictEqual(yield* journal.loadAccount(account + 1_000_000), undefined)
        assert.isAtLeast((yield* journal.newestAt) ?? 0, second.at)
        yield* journal.ping
      })
    )

    it.effect("tells who holds a claim, and leaves nothing of a refused record behind", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [a, b] = [yield* journal.newAccountNumber, yield* journal.newAccountNumber]
        const key = (part: string) => journal.claimKey("two claims", `${a}`, part)
        yield* append(journal, record(a, 1, { claims: [claim(key("held"), hash128(3))] }))
        yield* append(journal, record(b, 1))
        for (const claims of [
          [claim(key("held")), claim(key("free"))],
          [claim(key("free")), claim(key("held"))]
        ]) {
          const outcome = yield* append(journal, record(b, 2, { claims, issuedRewards: [issuedReward(`ghost ${b}`)] }))
          assert.deepStrictEqual(outcome, {
            _tag: "taken",
            holder: { key: key("held"), account: a, seq: 1, fingerprint: hash128(3) }
          })
          assert.deepStrictEqual(yield* journal.holders([key("free")]), [])
          assert.strictEqual((yield* journal.records(b, 1, 10)).length, 1)
          assert.strictEqual((yield* journal.ledger({ account: b, limit: 10 })).length, 1)
          assert.deepStrictEqual(plain(yield* journal.issuedRewards(b)), [])
        }
        const after = record(b, 2, { claims: [claim(key("free"))] })
        assert.deepStrictEqual(yield* append(journal, after), { _tag: "committed" })
      })
    )

    it.effect("writes the rest of a group after taken claims, each account up to its first taken one", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [holder, a, b, c] = [
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber
        ]
        const key = (part: string) => journal.claimKey("rest of a group", `${holder}`, part)
        const held = [claim(key("one"), hash128(3)), claim(key("other"), hash128(4))]
        yield* append(journal, record(holder, 1, { claims: held }))
        const outcomes = yield* appendAll(journal, [
          record(a, 1, { claims: [claim(key("of a"))] }),
          record(a, 2, { claims: [claim(key("of a, again")), claim(key("one"))] }),
          record(a, 3),
          record(b, 1, { claims: [claim(key("other"))] }),
          record(c, 1, { claims: [claim(key("of c"))], issuedRewards: [issuedReward(`rest ${c}`)] }),
          record(c, 2, { issuedRewards: [issuedReward(`rest ${c}`, { status: "redeemed", redeemedAt: start })] })
        ])
        assert.deepStrictEqual(tags(outcomes), ["committed", "taken", "superseded", "taken", "committed", "committed"])
        assert.deepInclude(outcomes[1], {
          holder: { key: key("one"), account: holder, seq: 1, fingerprint: hash128(3) }
        })
        for (const [account, seq] of [
          [a, 1],
          [b, 0],
          [c, 2]
        ] as const) {
          assert.strictEqual((yield* journal.witness(account, [])).seq, seq)
          assert.strictEqual((yield* journal.records(account, 1, 10)).length, seq)
          assert.strictEqual((yield* journal.ledger({ account, limit: 10 })).length, seq)
        }
        assert.deepStrictEqual(
          (yield* journal.issuedRewards(c)).map(({ status }) => status),
          ["redeemed"]
        )
        const holders = yield* journal.holders([key("of a"), key("of a, again"), key("of c")])
        assert.deepStrictEqual(
          holders.map(({ account, seq }) => [account, seq]),
          [
            [a, 1],
            [c, 1]
          ]
        )
        assert.deepStrictEqual(yield* append(journal, record(a, 2)), { _tag: "committed" })
      })
    )

    it.effect("gives a claim to the first of two records in flight together", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [a, b, c] = [
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber
        ]
        const key = (part: string) => journal.claimKey("together", `${a}`, part)
        const outcomes = yield* appendAll(journal, [
          record(a, 1, { claims: [claim(key("x"), hash128(9))] }),
          record(b, 1, { claims: [claim(key("y")), claim(key("x"))] }),
          record(c, 1, { claims: [claim(key("y"), hash128(4))] })
        ])
        assert.deepStrictEqual(outcomes, [
          { _tag: "committed" },
          { _tag: "taken", holder: { key: key("x"), account: a, seq: 1, fingerprint: hash128(9) } },
          { _tag: "committed" }
        ])
        const holders = yield* journal.holders([key("x"), key("y"), key("z")])
        assert.sameDeepMembers(
          [...holders],
          [
            { key: key("x"), account: a, seq: 1, fingerprint: hash128(9) },
            { key: key("y"), account: c, seq: 1, fingerprint: hash128(4) }
          ]
        )
        assert.deepStrictEqual(yield* journal.holders([]), [])
      })
    )

    it.effect("rejects the successors of a rejected record, and no other", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [a, b] = [yield* journal.newAccountNumber, yield* journal.newAccountNumber]
        const key = journal.claimKey("successors", `${a}`)
        yield* append(journal, record(a, 1, { claims: [claim(key)] }))
        const outcomes = yield* appendAll(journal, [
          record(a, 2),
          record(a, 3, { claims: [claim(key)] }),
          record(b, 1),
          record(a, 4),
          record(a, 5),
          record(b, 2)
        ])
        assert.deepStrictEqual(tags(outcomes), [
          "committed",
          "taken",
          "committed",
          "superseded",
          "superseded",
          "committed"
        ])
        assert.strictEqual((yield* journal.loadAccount(a))?.seq, 2)
        assert.deepStrictEqual(tags(yield* appendAll(journal, [record(a, 3), record(a, 4)])), [
          "committed",
          "committed"
        ])
      })
    )

    it.effect("refuses a seq that is taken or leaves a gap", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        yield* appendAll(journal, [record(account, 1), record(account, 2)])
        assert.deepStrictEqual(tags(yield* appendAll(journal, [record(account, 2), record(account, 3)])), [
          "stale",
          "superseded"
        ])
        assert.deepStrictEqual(tags(yield* appendAll(journal, [record(account, 4)])), ["stale"])
        const other = yield* journal.newAccountNumber
        const again = yield* appendAll(journal, [record(account, 1), record(other, 1)])
        assert.deepStrictEqual(tags(again), ["stale", "committed"])
        assert.strictEqual((yield* journal.records(account, 1, 10)).length, 2)
        assert.deepStrictEqual(tags(yield* appendAll(journal, [record(account, 3)])), ["committed"])
      })
    )

    it.effect("writes nothing while frozen (contract/databases.md *Write freeze*)", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        assert.isFalse(yield* journal.isFrozen)
        yield* journal.setFrozen(true)
        assert.isTrue(yield* journal.isFrozen)
        const outcomes = yield* appendAll(journal, [record(account, 1), record(account, 2)])
        assert.strictEqual(outcomes[0]?._tag, "frozen")
        assert.notInclude(tags(outcomes), "committed")
        assert.strictEqual(yield* journal.loadAccount(account), undefined)
        yield* journal.setFrozen(false)
        assert.isFalse(yield* journal.isFrozen)
        assert.deepStrictEqual(tags(yield* appendAll(journal, [record(account, 1)])), ["committed"])
      })
    )

    it.effect("finds entries by number, their records, and the record of any moment", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        const two = (seq: number) => [entry(seq * 2 - 1), entry(seq * 2)]
        // Some records share an instant: the newest of them is the one.
        const records = Array.from({ length: 9 }, (_, index) =>
          record(account, index + 1, { at: start + Math.floor(index / 2) * 100, entries: two(index + 1) })
        )
        assert.deepStrictEqual(new Set(tags(yield* appendAll(journal, records))), new Set(["committed"]))
        const others = yield* journal.entriesOtherThan(account, [
          [7, 10],
          [2, 9],
          [8, 11],
          [99, 10]
        ])
        assert.deepStrictEqual(others, [2, 8, 99])
        const found = yield* journal.recordsOf(account, [8, 7, 1, 99])
        assert.deepStrictEqual(
          found.map(({ seq }) => seq),
          [1, 4]
        )
        assert.deepStrictEqual(found[1], stored(records[3]!))
        const at = (instant: number) => Effect.map(journal.recordAt(account, instant), (one) => one?.seq)
        assert.deepStrictEqual(yield* Effect.forEach([-1, 0, 50, 100, 399, 400, 1_000_000], (ms) => at(start + ms)), [
          undefined,
          2,
          2,
          4,
          8,
          9,
          9
        ])
        assert.strictEqual(yield* journal.recordAt(account + 1_000_000, start), undefined)
      })
    )

    it.effect("pages and filters the ledger, newest first (contract/points.md *Ledger list*)", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        const entries = Array.from({ length: 20 }, (_, i) =>
          entry(i + 1, {
            unit: i % 2 === 0 ? "points" : "stamps",
            operation: i % 4 === 3 ? "redemption" : "accrual",
            occurredAt: start + Math.floor(i / 5) * 1000
          })
        )
        yield* append(journal, record(account, 1, { entries }))
        const ns = (query: object) =>
          Effect.map(journal.ledger({ account, limit: 50, ...query }), (rows) => rows.map((row) => row.n))
        assert.deepStrictEqual(yield* ns({ limit: 3 }), [20, 19, 18])
        assert.deepStrictEqual(yield* ns({ limit: 3, beforeN: 18 }), [17, 16, 15])
        assert.deepStrictEqual(yield* ns({ unit: "stamps", beforeN: 8 }), [6, 4, 2])
        assert.deepStrictEqual(yield* ns({ operations: ["redemption"] }), [20, 16, 12, 8, 4])
        assert.deepStrictEqual(yield* ns({ operations: [] }), [])
        assert.deepStrictEqual(yield* ns({ occurredFrom: start + 1000, occurredUntil: start + 1000 }), [10, 9, 8, 7, 6])
        assert.deepStrictEqual(yield* ns({ occurredUntil: start - 1 }), [])
        assert.deepStrictEqual(yield* ns({ account: account + 1_000_000 }), [])
      })
    )

    it.effect("writes an issued reward again when its status changes", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        const older = issuedReward(`b ${account}`)
        // In the same millisecond, and before the older one in any order of ids.
        const newer = issuedReward(`a ${account}`, {
          n: 2,
          expiresAt: start + 99,
          artifactType: "qr_code"
        })
        const redeemed = { ...older, status: "redeemed" as const, redeemedAt: start + 3 }
        const cancelled = { ...newer, status: "cancelled" as const, cancelledAt: start + 4, cancellationReason: "lost" }
        yield* append(journal, record(account, 1, { issuedRewards: [older, newer] }))
        assert.deepStrictEqual(plain(yield* journal.issuedRewards(account)), [newer, older])
        yield* appendAll(journal, [
          record(account, 2, { issuedRewards: [redeemed] }),
          record(account, 3, { issuedRewards: [{ ...newer, status: "expired" }] }),
          record(account, 4, { issuedRewards: [cancelled] })
        ])
        assert.deepStrictEqual(plain(yield* journal.issuedRewards(account)), [cancelled, redeemed])
      })
    )

    const enrolling = (account: number, key: string, seq = 1) =>
      record(account, seq, { identities: [{ key, added: true }] })
    const leaving = (account: number, key: string, seq: number) =>
      record(account, seq, { identities: [{ key, added: false }] })

    it.effect("gives an identity to one account, until it is freed", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [a, b] = [yield* journal.newAccountNumber, yield* journal.newAccountNumber]
        const key = journal.claimKey("identity", `${a}`)
        assert.isUndefined(yield* journal.findIdentity(key))
        const taken = { _tag: "taken", holder: { key, fingerprint: key, account: a, seq: 1 } } as const
        assert.deepStrictEqual(yield* appendAll(journal, [enrolling(a, key), enrolling(b, key)]), [
          { _tag: "committed" },
          taken
        ])
        assert.strictEqual(yield* journal.findIdentity(key), a)
        assert.deepStrictEqual(yield* append(journal, enrolling(b, key)), taken)
        assert.isUndefined(yield* journal.loadAccount(b))
        // Nobody frees what another has.
        yield* appendAll(journal, [record(b, 1), leaving(b, key, 2)])
        assert.strictEqual(yield* journal.findIdentity(key), a)
        const outcomes = yield* appendAll(journal, [leaving(a, key, 2), enrolling(b, key, 3)])
        assert.deepStrictEqual(tags(outcomes), ["committed", "committed"])
        assert.strictEqual(yield* journal.findIdentity(key), b)
      })
    )

    it.effect("replaces a member's personal data and leaves the records as they are", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        const identity = { type: "email_hash", value: "abc", issuer: "pos" }
        const opens = { programId: "demo", memberId: `erased ${account}`, identities: [identity], attributes: { a: 1 } }
        yield* append(journal, record(account, 1, { opens }))
        yield* append(journal, record(account, 2, { member: { identities: [], attributes: { b: 2 } } }))
        const loaded = yield* journal.loadAccount(account)
        assert.deepStrictEqual(loaded?.member, { identities: [], attributes: { b: 2 } })
        yield* append(journal, record(account, 3, { member: { identities: [] } }))
        assert.deepStrictEqual((yield* journal.loadAccount(account))?.member, { identities: [] })
        assert.strictEqual((yield* journal.records(account, 1, 10)).length, 3)
      })
    )

    const linked = (journal: Journal["Service"], ...records: readonly [JournalRecord, JournalRecord]) =>
      Effect.callback<ReadonlyArray<AppendOutcome>>((resume) =>
        journal.submitLinked(records, (outcomes) => resume(Effect.succeed(outcomes)))
      )

    it.effect("commits two linked records or none of them", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [a, b, c] = [
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber
        ]
        const held = claim(journal.claimKey("linked", `${a}`))
        yield* appendAll(journal, [record(a, 1), record(b, 1), record(c, 1, { claims: [held] })])
        assert.deepStrictEqual(tags(yield* linked(journal, record(a, 2), record(b, 2))), ["committed", "committed"])
        const seqs = Effect.forEach([a, b], (account) =>
          Effect.map(journal.loadAccount(account), (loaded) => [loaded?.seq, loaded?.nextDue])
        )
        const before = yield* seqs
        const due = { nextDue: start, balance: 0, status: "active" } as const
        for (const [outcome, first, second] of [
          ["stale", record(a, 3, { totals: due }), record(b, 9)],
          ["taken", record(a, 3, { totals: due }), record(b, 3, { claims: [held] })]
        ] as const) {
          assert.deepStrictEqual(tags(yield* linked(journal, first, second)), ["superseded", outcome])
          assert.deepStrictEqual(tags(yield* linked(journal, second, first)), [outcome, "superseded"])
          assert.deepStrictEqual(yield* seqs, before)
          for (const account of [a, b]) assert.strictEqual((yield* journal.records(account, 3, 10)).length, 0)
        }
        // Behind others of both accounts, and others behind them.
        const others = yield* Effect.all(
          [
            appendAll(journal, [record(a, 3), record(b, 3)]),
            linked(journal, record(a, 4), record(b, 4)),
            appendAll(journal, [record(a, 5), record(b, 5)])
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...new Set(tags(others.flat()))], ["committed"])
      })
    )

    it.effect("rejects what was decided under another revision of the programmes, and what builds on it", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [a, b, c] = [
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber
        ]
        const now = yield* journal.revision
        assert.strictEqual((yield* journal.witness(a, [])).revision, now)
        const held = claim(journal.claimKey("outdated", `${a}`))
        yield* append(journal, record(c, 1, { revision: now, claims: [held] }))
        const outcomes = yield* appendAll(journal, [
          record(a, 1, { revision: now }),
          record(a, 2, { revision: now + 1 }),
          record(a, 3, { revision: now }),
          record(b, 1, { revision: now }),
          record(b, 9, { revision: now - 1, claims: [held] })
        ])
        assert.deepStrictEqual(tags(outcomes), ["committed", "outdated", "superseded", "committed", "outdated"])
        for (const other of [now - 1, now + 1]) {
          const pair = [record(a, 2, { revision: now }), record(b, 2, { revision: other })] as const
          assert.notInclude(tags(yield* linked(journal, ...pair)), "committed")
          const outdated = [record(a, 2, { revision: other }), record(b, 2, { revision: other })] as const
          assert.deepStrictEqual(tags(yield* linked(journal, ...outdated)), ["outdated", "outdated"])
        }
        for (const account of [a, b]) assert.strictEqual((yield* journal.records(account, 2, 10)).length, 0)
      })
    )

    it.effect("moves an identity between two linked records, and from nobody else", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const accounts = [
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber,
          yield* journal.newAccountNumber
        ] as const
        const [a, b, c] = accounts
        const key = journal.claimKey("moved", `${a}`)
        const gains = { identities: [{ key, added: true }], member: { identities: [{ type: "external", value: "1" }] } }
        const loses = { identities: [{ key, added: false }], member: { identities: [] } }
        yield* appendAll(journal, [record(a, 1, gains), record(b, 1), record(c, 1)])
        const foreign = yield* linked(journal, record(b, 2, loses), record(c, 2, gains))
        assert.deepStrictEqual(tags(foreign), ["superseded", "taken"])
        assert.strictEqual(yield* journal.findIdentity(key), a)
        assert.deepStrictEqual(tags(yield* linked(journal, record(b, 2, gains), record(a, 2, loses))), [
          "committed",
          "committed"
        ])
        assert.strictEqual(yield* journal.findIdentity(key), b)
        assert.deepStrictEqual(tags(yield* linked(journal, record(b, 3, loses), record(c, 2, gains))), [
          "committed",
          "committed"
        ])
        assert.strictEqual(yield* journal.findIdentity(key), c)
        assert.deepStrictEqual((yield* journal.loadAccount(b))?.member, { identities: [] })
      })
    )

    it.effect("keeps the newer snapshot", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const account = yield* journal.newAccountNumber
        yield* append(journal, record(account, 1))
        yield* journal.saveSnapshot(account, { seq: 5, version: 2, state: `{"five":true}` })
        yield* journal.saveSnapshot(account, { seq: 4, version: 1, state: `{"four":true}` })
        const loaded = yield* journal.loadAccount(account)
        assert.deepStrictEqual(loaded?.snapshot, { seq: 5, version: 2, state: `{"five":true}` })
        const rebuilt = { seq: 5, version: 3, state: `{"rebuilt":true}` }
        yield* journal.saveSnapshot(account, rebuilt)
        assert.deepStrictEqual((yield* journal.loadAccount(account))?.snapshot, rebuilt)
        yield* journal.saveSnapshot(account, { seq: 6, version: 1, state: "{}" })
        assert.strictEqual((yield* journal.loadAccount(account))?.snapshot?.seq, 6)
      })
    )

    it.effect("knows what is due, earliest first (contract/points.md *Lots*)", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const past = start - 365 * 86_400_000
        const accounts: Array<number> = []
        for (const nextDue of [past + 30, past + 10, past + 20, null]) {
          const account = yield* journal.newAccountNumber
          accounts.push(account)
          yield* append(journal, record(account, 1, { totals: { nextDue, balance: 0, status: "active" } }))
        }
        const [a, b, c] = accounts
        assert.deepStrictEqual(yield* journal.due(past + 20, 10, []), [
          { account: b!, at: past + 10 },
          { account: c!, at: past + 20 }
        ])
        assert.deepStrictEqual(yield* journal.due(past + 30, 1, []), [{ account: b!, at: past + 10 }])
        assert.deepStrictEqual(yield* journal.due(past + 30, 1, [b!]), [{ account: c!, at: past + 20 }])
        assert.strictEqual((yield* journal.loadAccount(a!))?.nextDue, past + 30)
        for (const account of accounts) yield* append(journal, record(account, 2))
        assert.deepStrictEqual(yield* journal.due(past + 30, 10, []), [])
      })
    )

    it.effect("knows by which version a due time was computed, and takes a newer one's", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const [open, closed] = [yield* journal.newAccountNumber, yield* journal.newAccountNumber]
        const totals = { nextDue: start, balance: 0, status: "active" } as const
        yield* append(journal, record(open, 1, { totals, programVersion: 3 }))
        yield* append(journal, record(closed, 1, { totals: { ...totals, status: "closed" }, programVersion: 3 }))
        const outdated = (version: number, skipped: ReadonlyArray<number> = [], partitions?: ReadonlyArray<number>) =>
          journal.outdated([{ id: "demo", version }], 1_000, skipped, partitions)
        const isOutdated = (found: ReadonlyArray<number>) => [found.includes(open), found.includes(closed)]
        assert.deepStrictEqual(isOutdated(yield* outdated(3)), [false, false])
        assert.deepStrictEqual(isOutdated(yield* outdated(4)), [true, false])
        assert.deepStrictEqual(isOutdated(yield* outdated(4, [open])), [false, false])
        assert.deepStrictEqual(isOutdated(yield* outdated(4, [], [(open + 1) & 255])), [false, false])
        const nextDue = Effect.map(journal.loadAccount(open), (loaded) => loaded?.nextDue)
        yield* journal.saveDue(open, { seq: 2, version: 4, at: start + 1 })
        yield* journal.saveDue(open, { seq: 1, version: 2, at: start + 2 })
        assert.strictEqual(yield* nextDue, start)
        yield* journal.saveDue(open, { seq: 1, version: 4, at: start + 3 })
        assert.strictEqual(yield* nextDue, start + 3)
        assert.deepStrictEqual(isOutdated(yield* outdated(4)), [false, false])
      })
    )

    it.effect("makes numbers and keys that never repeat", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const numbers = yield* Effect.all(
          Array.from({ length: 250 }, () => journal.newAccountNumber),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(new Set(numbers).size, 250)
        assert.match(journal.claimKey("a"), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        assert.strictEqual(journal.claimKey("a", "b"), journal.claimKey("a", "b"))
        const keys = [["a", "b"], ["ab"], ["ab", ""], ["", "ab"], ["a", "1:b"], ["b", "a"]]
        assert.strictEqual(new Set(keys.map((parts) => journal.claimKey(...parts))).size, keys.length)
      })
    )

    it.effect("answers thousands of records of many accounts, each account in order", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const accounts = yield* Effect.all(Array.from({ length: 50 }, () => journal.newAccountNumber))
        const records = Array.from({ length: 3_000 }, (_, i) => {
          const account = accounts[i % accounts.length]!
          const seq = Math.floor(i / accounts.length) + 1
          return record(account, seq, { claims: [claim(journal.claimKey("many", `${account}`, `${seq}`))] })
        })
        const order: Array<string> = []
        const outcomes = yield* appendAll(
          {
            ...journal,
            submit: (record, done) =>
              journal.submit(record, (outcome) => {
                order.push(`${record.account}:${record.seq}`)
                done(outcome)
              })
          },
          records
        )
        assert.deepStrictEqual([...new Set(tags(outcomes))], ["committed"])
        for (const account of accounts) {
          const seqs = order.filter((line) => line.startsWith(`${account}:`)).map((line) => Number(line.split(":")[1]))
          assert.deepStrictEqual(
            seqs,
            Array.from({ length: 60 }, (_, i) => i + 1)
          )
          assert.strictEqual((yield* journal.loadAccount(account))?.seq, 60)
        }
      })
    )
  })
