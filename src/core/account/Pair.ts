/**
 * Decisions that write one record each to two accounts, such as a merge. Both accounts are held, the lower number first,
 * so that two of them cannot wait for each other. The two records are linked: both are committed, or neither is.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AppendOutcome, Claim, JournalRecord, JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Decided } from "./domain/Decision.ts"
import type { Refusal } from "./domain/Refusal.ts"
import type { HeldAccount } from "./HeldAccount.ts"
import type { Side } from "./MergeHolds.ts"
import { type Outcome, troubleOf, unavailable } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"

export interface Pair {
  readonly from: HeldAccount
  readonly into: HeldAccount
}

/** A decision with the records that it makes. */
export interface Prepared {
  readonly _tag: "Prepared"
  readonly decision: { readonly from: Decided; readonly into: Decided }
  readonly records: readonly [from: JournalRecord, into: JournalRecord]
}

export interface Decider {
  /** The idempotency key, with a fingerprint of the whole payload. */
  readonly key: Claim | undefined
  /** Refuses a pair of one and the same account. */
  readonly same: Refusal
  /** Decides both records under one revision of the programmes. Undefined: the accounts must be read again. */
  readonly decide: (pair: Pair) => Effect.Effect<Prepared | Refusal | undefined, JournalUnavailable>
  /** True if a taken claim means that another one has done the same: it is decided again. */
  readonly isOfAnother?: (claim: string) => boolean
}

/** Carries a decision out. It continues if the caller disconnects. */
export const run = (deps: AccountDeps, from: Side, into: Side, decider: Decider): Effect.Effect<Outcome> =>
  Effect.callback<Outcome>((resume) => {
    const running =
      from.number === into.number
        ? Effect.succeed(decider.same)
        : holding(from, into, (pair) => carryOut(deps, pair, decider))
    deps.fork(
      Effect.matchCause(Effect.uninterruptible(running), {
        onFailure: (cause) => resume(Effect.failCause(cause)),
        onSuccess: (outcome) => resume(Effect.succeed(outcome))
      })
    )
  })

/** Runs `use` with both accounts held. */
const holding = Effect.fnUntraced(function* (
  from: Side,
  into: Side,
  use: (pair: Pair) => Effect.Effect<Outcome>
): Effect.fn.Return<Outcome> {
  const [lower, upper] = from.number < into.number ? [from, into] : [into, from]
  const first = yield* lower.hold
  if (!("release" in first)) return first
  const second = yield* Effect.onError(upper.hold, () => first.release)
  if (!("release" in second)) {
    yield* first.release
    return second
  }
  const [leaving, taking] = lower === from ? [first, second] : [second, first]
  const exit = yield* Effect.exit(use({ from: leaving.account, into: taking.account }))
  // Before the other: who sees the outcome there must not see this member as it was before.
  const isTold = yield* leaving.release
  yield* taking.release
  // The same key tells the outcome, once the owner of `from` shows it.
  return !isTold && Exit.isSuccess(exit) && exit.value._tag === "Answered" ? unavailable : yield* exit
})

/** Retries until the outcome is definite. Each retry reads what other owners have written. */
const carryOut = (deps: AccountDeps, pair: Pair, decider: Decider): Effect.Effect<Outcome> =>
  Effect.catchTag(
    Effect.gen(function* () {
      for (let tries = 0; tries < Bounds.maxTries; tries++) {
        if (!deps.mayWrite()) return { _tag: "Frozen" } as const
        const known = yield* answered(deps, decider.key)
        if (known !== undefined) {
          // Another owner may have written since both were loaded: reads after this answer must show it.
          if (known._tag === "Answered") yield* reload(pair)
          return known
        }
        const outcome = yield* attempt(deps, pair, decider)
        if (outcome !== undefined) return outcome
        yield* reload(pair)
      }
      return { _tag: "Overloaded" } as const
    }),
    "JournalUnavailable",
    (error) => Effect.succeed(troubleOf(error))
  )

/** Decides, and submits or refuses. Undefined: another owner has written, or the programmes have changed. */
const attempt = Effect.fnUntraced(function* (
  deps: AccountDeps,
  pair: Pair,
  decider: Decider
): Effect.fn.Return<Outcome | undefined, JournalUnavailable> {
  const revision = deps.revision()
  const decided = yield* decider.decide(pair)
  if (decided === undefined) return undefined
  if (decided._tag === "Refusal") return (yield* isCurrent(deps, pair, revision)) ? decided : undefined
  // Again: the clock may have jumped before the decision read it.
  if (!deps.mayWrite()) return { _tag: "Frozen" }
  if (!pair.from.isValid() || !pair.into.isValid()) return { _tag: "Overloaded" }
  const outcomes = yield* Effect.callback<Outcomes>((resume) =>
    deps.journal.submitLinked(decided.records, (outcomes) => resume(Effect.succeed(outcomes)))
  )
  const isOutdated = outcomes.some(({ _tag }) => _tag === "outdated")
  if (isOutdated) return (yield* deps.leaveRevision(revision)) ? undefined : unavailable
  return settle(pair, decided, outcomes) ?? rejection(outcomes, decider)
})

type Outcomes = readonly [from: AppendOutcome, into: AppendOutcome]

const reload = ({ from, into }: Pair): Effect.Effect<void, JournalUnavailable> =>
  Effect.andThen(from.reload(), into.reload())

/** The stored answer or a conflict if a key is taken; else undefined. */
export const answered = Effect.fnUntraced(function* (
  deps: AccountDeps,
  key: Claim | undefined
): Effect.fn.Return<Outcome | undefined, JournalUnavailable> {
  if (key === undefined) return undefined
  const [holder] = yield* deps.journal.holders([key.key])
  if (holder === undefined) return undefined
  if (holder.fingerprint !== key.fingerprint) return ClaimResolution.conflict(undefined, { key }, holder)
  return yield* PastRecords.replay(deps, holder)
})

/**
 * True if states and programmes are the newest. A refusal needs this check: it writes nothing, so no key exposes a
 * second owner.
 */
const isCurrent = Effect.fnUntraced(function* (
  { journal, leaveRevision }: AccountDeps,
  { from, into }: Pair,
  decidedUnder: number
): Effect.fn.Return<boolean, JournalUnavailable> {
  for (const account of [from, into]) {
    const { revision, seq } = yield* journal.witness(account.number, [])
    if (seq > account.resident.state.seq) return false
    if (revision === decidedUnder) continue
    yield* leaveRevision(decidedUnder)
    return false
  }
  return true
})

/** Applies the outcomes to both accounts. Returns the answer if both records were committed. */
const settle = ({ from, into }: Pair, { decision, records }: Prepared, [one, other]: Outcomes): Outcome | undefined => {
  if (one._tag !== "committed" || other._tag !== "committed") {
    from.rejected(one)
    into.rejected(other)
    return undefined
  }
  from.advance(decision.from, records[0])
  into.advance(decision.into, records[1])
  const { at, events, reply } = decision.into
  const record = { account: into.number, seq: records[1].seq, at, events, reply }
  return { _tag: "Answered", record, resident: into.resident }
}

/** The answer if nothing was committed. Undefined: decide again. */
const rejection = (outcomes: Outcomes, { isOfAnother, key }: Decider): Outcome | undefined => {
  const told = outcomes.find(({ _tag }) => _tag !== "superseded")
  switch (told?._tag) {
    case "frozen":
      return { _tag: "Frozen" }
    case "overloaded":
      return { _tag: "Overloaded" }
    case "taken":
      return told.holder.key === key?.key || isOfAnother?.(told.holder.key) === true
        ? undefined
        : ClaimResolution.valueTaken
    case "stale":
    case undefined:
      return undefined
    default:
      return unavailable
  }
}
