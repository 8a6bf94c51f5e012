/** Carries out the transactions of Toast's tills (contract/tills.md *Toast*). */
import { Effect, Fiber, Option, Result } from "effect"
import * as Callers from "../../../base/concurrency/Callers.ts"
import type { Refused } from "../../../contract/Refused.ts"
import { maxIdLength } from "../../../contract/Values.ts"
import * as Bounds from "../connections/Bounds.ts"
import type { CheckFacts } from "../connections/CheckFacts.ts"
import type { KnownConnection } from "../connections/KnownConnections.ts"
import type { TillParts } from "../connections/TillParts.ts"
import type { Came, Stored, Turn } from "../connections/Turns.ts"
import * as Turns from "../connections/Turns.ts"
import type { Going, Worked } from "./Accrue.ts"
import * as Accrue from "./Accrue.ts"
import * as Checks from "./Checks.ts"
import * as Guests from "./Guests.ts"
import { inquire } from "./Inquire.ts"
import * as Redeem from "./Redeem.ts"
import * as Replies from "./Replies.ts"
import * as Unclaimed from "./Unclaimed.ts"
import * as Wire from "./Wire.ts"

/** A request whose key was right. */
export interface Asked {
  readonly type: string | undefined
  /** The vendor's id of the transaction. */
  readonly id: string | undefined
  readonly restaurant: string | undefined
  readonly body: Uint8Array
}

/** Parts of Toast's transactions. `mayName`: false, if a restaurant has searched by name too often. */
interface Parts {
  readonly till: TillParts
  readonly connection: KnownConnection
  readonly mayName: () => boolean
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** The check of a transaction that has one. */
const checkOf = ({ body, type }: Wire.Transaction): string | undefined =>
  type === "LOYALTY_ACCRUE" || type === "LOYALTY_REDEEM" ? body.checkTransactionInformation.check.guid : undefined

/** The reply of an answer, with what is not stored of it. */
const repliedBy = (
  { connection, till }: Pick<Parts, "connection" | "till">,
  { answer }: { readonly answer?: Turns.Answer | undefined }
): Replies.ToastReply =>
  answer === undefined
    ? Replies.again
    : { status: answer.status, body: Unclaimed.withCode(till, connection, answer) as Wire.Answer }

/** The answer to a repetition. What a reversal has named before it came is accepted, and does nothing. */
const repeated = (parts: Pick<Parts, "connection" | "till">, stored: Stored | undefined): Replies.ToastReply =>
  stored?.state === "kept" ? Replies.accept() : repliedBy(parts, stored ?? {})

/** Carries out a transaction on the turn of its check. `isOwn`: the till waits for it. Undefined: it must ask again. */
const carryOut = Effect.fnUntraced(function* (
  till: TillParts,
  going: Going,
  facts: CheckFacts,
  transaction: Wire.Transaction,
  { doomed, isOwn }: { readonly doomed: Replies.ToastReply | undefined; readonly isOwn: boolean }
): Effect.fn.Return<Worked | undefined, Refused> {
  switch (transaction.type) {
    case "LOYALTY_ACCRUE":
      if (Accrue.guestIn(transaction.body) === "") return yield* Unclaimed.accrue(till, going, facts, transaction.body)
      return facts.kept === undefined
        ? yield* Accrue.accrue(till, going, facts, transaction.body)
        : yield* Unclaimed.named(till, going, facts, facts.kept, transaction.body)
    case "LOYALTY_REDEEM":
      // Nobody waits for it any more: the guest keeps the rewards.
      return doomed === undefined && isOwn
        ? yield* Redeem.redeem(till, going, facts, transaction.body)
        : yield* Redeem.undone(
            till,
            going,
            facts,
            transaction.body,
            doomed ?? Replies.again,
            "It was not finished in time."
          )
    case "LOYALTY_REVERSE": {
      const { redemptions, transactionId } = transaction.body.reverseTransactionInformation
      const target = yield* Turns.find(till.query, going.connection.n, transactionId)
      if (target?.type === "LOYALTY_REDEEM")
        return yield* Redeem.takeBack(till, going, facts, transactionId, redemptions)
      return facts.kept === undefined
        ? yield* Accrue.takeBack(till, going, facts, transactionId)
        : yield* Unclaimed.takeBack(till, going, facts, facts.kept, transactionId)
    }
    default:
      throw new Error(`${transaction.type} is not about a check`)
  }
})

/** A transaction that has begun. Undefined: its programme is gone. */
const goingOf = (
  till: TillParts,
  connection: KnownConnection,
  { restaurant, transaction_id: id }: Stored
): Going | undefined => {
  const program = till.programs.get(connection.program)
  return program === undefined ? undefined : { connection, program, id, restaurant }
}

/** Finishes the transactions of a check that have begun before, and returns the check after them; undefined: ask again. */
const finishOthers = Effect.fnUntraced(function* (
  till: TillParts,
  connection: KnownConnection,
  turn: Turn,
  own: { readonly n: number | undefined; readonly id: string | undefined }
): Effect.fn.Return<CheckFacts | undefined, Refused> {
  let { facts } = turn
  if (!turn.hasBegun) return facts
  for (const one of yield* Turns.begunOn(till.query, turn, own.n)) {
    const going = goingOf(till, connection, one)
    const read = Wire.read(one.type, Turns.requestOf(till.claimKey, connection.n, one) ?? new Uint8Array())
    if (going === undefined || Result.isFailure(read)) return undefined
    const doomed = one.answer === undefined ? undefined : repliedBy({ till, connection }, one)
    const isOwn = one.transaction_id === own.id
    const worked = yield* carryOut(till, going, facts, read.success, { doomed, isOwn })
    if (worked === undefined) return undefined
    if (!(yield* Turns.end(till, turn, one.n, worked.facts, worked.ended, false))) return undefined
    facts = worked.facts
  }
  return facts
})

/** A REDEEM that took too long is refused: decided first, then undone, then ended. So is one whose connection is gone. */
const refuseLate = Effect.fnUntraced(function* (
  till: TillParts,
  going: Going,
  came: Came,
  facts: CheckFacts,
  transaction: Extract<Wire.Transaction, { type: "LOYALTY_REDEEM" }>
): Effect.fn.Return<Worked | undefined, Refused> {
  const stored = yield* Turns.refuse(till, came, Replies.again, "It took too long.")
  if (stored !== undefined && stored.state !== "begun") return undefined
  const reply = stored === undefined ? Replies.gone : Replies.again
  return yield* Redeem.undone(till, going, facts, transaction.body, reply, "It took too long.")
})

/** Undoes a REDEEM whose connection is gone: nobody else would find the transaction, so it is tried until it is done. */
const undoneAtLast = Effect.fnUntraced(function* (
  till: TillParts,
  going: Going,
  facts: CheckFacts,
  body: Extract<Wire.Transaction, { type: "LOYALTY_REDEEM" }>["body"]
) {
  const undoing = Redeem.undone(till, going, facts, body, Replies.gone, "The connection is gone.")
  while ((yield* Effect.orElseSucceed(undoing, () => undefined)) === undefined)
    yield* Effect.sleep(Bounds.refusalPauseMs)
})

/** Carries out a transaction about a check, after those that have begun before it. */
const onCheck = Effect.fnUntraced(function* (
  { connection, till }: Parts,
  came: Came & { readonly check: string },
  transaction: Wire.Transaction,
  isLate: () => boolean
): Effect.fn.Return<Replies.ToastReply, Refused> {
  const place = { connection: connection.n, check: came.check }
  const taken = yield* Turns.take(till, place, came)
  if (taken === "gone") return Replies.gone
  if (taken === "waits") return Replies.again
  const { n, turn } = taken
  const left = (reply: Replies.ToastReply) => Effect.as(Turns.leave(till.query, turn), reply)
  const facts = yield* finishOthers(till, connection, turn, { n, id: came.id })
  if (facts === undefined) return yield* left(Replies.again)
  if (n === undefined) {
    return yield* left(repeated({ till, connection }, yield* Turns.find(till.query, connection.n, came.id)))
  }
  const program = till.programs.get(connection.program)
  if (program === undefined) return yield* left(Replies.again)
  const going = { connection, program, id: came.id, restaurant: came.restaurant }
  let worked = yield* carryOut(till, going, facts, transaction, { doomed: undefined, isOwn: true })
  if (transaction.type === "LOYALTY_REDEEM" && isLate())
    worked = yield* refuseLate(till, going, came, facts, transaction)
  if (worked !== undefined && (yield* Turns.end(till, turn, n, worked.facts, worked.ended, true)))
    return repliedBy({ till, connection }, worked.ended)
  if ((yield* Turns.find(till.query, connection.n, came.id)) !== undefined) return yield* left(Replies.again)
  if (transaction.type === "LOYALTY_REDEEM") yield* undoneAtLast(till, going, facts, transaction.body)
  return Replies.gone
})

/** Finds the transaction that a reversal names, and the check of it. */
const reversed = Effect.fnUntraced(function* (
  { connection, till }: Parts,
  came: Came,
  target: string
): Effect.fn.Return<Replies.ToastReply | { readonly check: string }, Refused> {
  const before = yield* Turns.find(till.query, connection.n, came.id)
  if (before?.check_id !== undefined) return { check: before.check_id }
  if (before !== undefined) return repliedBy({ till, connection }, before)
  let found = yield* Turns.find(till.query, connection.n, target)
  if (found === undefined && !(yield* Turns.keep(till, connection.n, target)))
    found = yield* Turns.find(till.query, connection.n, target)
  const refused = (status: Wire.TransactionStatus, reason: string) => {
    const reply = Replies.refuse(status)
    return Effect.as(Turns.note(till, came, Replies.refused(reply, reason)), reply)
  }
  if (found === undefined || found.state === "kept")
    return yield* refused(
      "ERROR_TRANSACTION_DOES_NOT_EXIST",
      "No such transaction has come. Should it come, it does nothing."
    )
  if (found.type !== "LOYALTY_ACCRUE" && found.type !== "LOYALTY_REDEEM")
    return yield* refused("ERROR_TRANSACTION_CANNOT_BE_REVERSED", "It is neither an accrual nor a redemption.")
  if (found.check_id !== undefined) return { check: found.check_id }
  // It was refused before anything began.
  const reply = Replies.accept()
  return yield* Effect.as(Turns.note(till, came, Replies.done(reply, { reason: "Nothing of it is left." })), reply)
})

const signedUp = Effect.fnUntraced(function* (
  { connection, till }: Parts,
  came: Came,
  body: Extract<Wire.Transaction, { type: "LOYALTY_SIGNUP" }>["body"]
): Effect.fn.Return<Replies.ToastReply, Refused> {
  const begun = yield* Turns.begin(till, came)
  const before = begun === undefined ? yield* Turns.find(till.query, connection.n, came.id) : undefined
  if (before !== undefined && before.state !== "begun") return repliedBy({ till, connection }, before)
  const n = begun ?? before?.n
  if (n === undefined) return Replies.gone
  const ended = yield* Guests.signUp(till, connection, came.id, body)
  if (ended === undefined) return Replies.again
  yield* Turns.endAlone(till, n, ended)
  return repliedBy({ till, connection }, ended)
})

/** A header as the list of transactions keeps it. */
const cut = (header = ""): string => header.slice(0, maxIdLength)

/** Refusals before anything began are in the list of transactions too, so that somebody who connects tills sees them. */
const noted = (
  { connection, till }: Parts,
  { id, restaurant, type }: Asked,
  reply: Replies.ToastReply,
  reason: string
) =>
  id === undefined || !idPattern.test(id)
    ? Effect.succeed(reply)
    : Effect.as(
        Turns.note(
          till,
          { connection: connection.n, id, type: cut(type), check: undefined, restaurant: cut(restaurant) },
          Replies.refused(reply, reason)
        ),
        reply
      )

const writes: ReadonlySet<string> = new Set(["LOYALTY_SIGNUP", "LOYALTY_REDEEM", "LOYALTY_ACCRUE", "LOYALTY_REVERSE"])

/** Answers within the time that a till waits; what goes on then is found done by the repetition. */
const inTime = ({ fork }: TillParts, work: Effect.Effect<Replies.ToastReply>): Effect.Effect<Replies.ToastReply> =>
  Effect.callback((resume) => {
    const late = fork(
      Effect.andThen(
        Effect.sleep(Bounds.answerMs),
        Effect.sync(() => resume(Effect.succeed(Replies.again)))
      )
    )
    fork(
      Effect.flatMap(Effect.exit(work), (exit) => {
        resume(exit)
        return Fiber.interrupt(late)
      })
    )
  })

/** Storage in trouble: the till asks again. */
const orAgain = (work: Effect.Effect<Replies.ToastReply, Refused>): Effect.Effect<Replies.ToastReply> =>
  Effect.catch(work, () => Effect.succeed(Replies.again))

/**
 * Records that a REDEEM is refused, and returns the answer to it: until the database answers, or the till has left. After an answer
 * of failure Toast never asks again, so a failure is recorded before it is told. What has ended is answered as it ended.
 */
const refusedForGood = Effect.fnUntraced(function* (
  parts: Parts,
  came: Omit<Came, "request">,
  reply: Replies.ToastReply,
  reason: string
) {
  while (!(yield* Callers.haveLeft)) {
    const stored = yield* Effect.option(Turns.refuse(parts.till, came, reply, reason))
    if (Option.isSome(stored)) return repeated(parts, stored.value)
    yield* Effect.sleep(Bounds.refusalPauseMs)
  }
  return reply
})

/** Answers a REDEEM with its outcome; none is told a failure that is not recorded. */
const decided = (
  parts: Parts,
  came: Came,
  work: Effect.Effect<Replies.ToastReply>
): Effect.Effect<Replies.ToastReply> =>
  Effect.flatMap(work, (reply) =>
    reply.status < 500
      ? Effect.succeed(reply)
      : refusedForGood(parts, came, Replies.again, "It could not be begun in time.")
  )

/**
 * Answers over a connection that takes nothing new. The body is not looked at. A REDEEM may have been carried out before, and its
 * answer lost: the till that asks for it again is told how it ended.
 */
const answerOver = (parts: Parts, { id, restaurant, type }: Asked): Effect.Effect<Replies.ToastReply> => {
  if (type !== "LOYALTY_REDEEM" || id === undefined || !idPattern.test(id)) return Effect.succeed(Replies.gone)
  const came = { connection: parts.connection.n, id, type, check: undefined, restaurant: cut(restaurant) }
  return refusedForGood(parts, came, Replies.gone, "The connection was paused, or its key had ended.")
}

type About = Extract<Wire.Transaction, { type: "LOYALTY_ACCRUE" | "LOYALTY_REDEEM" | "LOYALTY_REVERSE" }>

/** Carries out what is about a check. */
const aboutCheck = Effect.fnUntraced(function* (
  parts: Parts,
  came: Came,
  transaction: About
): Effect.fn.Return<Replies.ToastReply, Refused> {
  const { machine } = parts.till
  const startedNanos = machine.nanos()
  const isLate = () => Number(machine.nanos() - startedNanos) / 1_000_000 > Bounds.answerMs
  if (transaction.type !== "LOYALTY_REVERSE") {
    const { guid } = transaction.body.checkTransactionInformation.check
    return yield* onCheck(parts, { ...came, check: guid }, transaction, isLate)
  }
  const found = yield* reversed(parts, came, transaction.body.reverseTransactionInformation.transactionId)
  return "check" in found ? yield* onCheck(parts, { ...came, check: found.check }, transaction, isLate) : found
})

/** Carries out a transaction that was read. `came`: one that writes, with an id that can be kept. */
const carried = (
  parts: Parts,
  asked: Asked,
  transaction: Wire.Transaction,
  came: Came | undefined
): Effect.Effect<Replies.ToastReply, Refused> => {
  const { connection, till } = parts
  if (came !== undefined && till.freeze.isFrozen()) return Effect.succeed(Replies.again)
  if (transaction.type === "LOYALTY_TRANSFER")
    return noted(
      parts,
      asked,
      Replies.refuse("ERROR_INVALID_TRANSFER"),
      "Members are merged by operators, because that cannot be undone."
    )
  if (Checks.placeOf(connection, asked.restaurant) !== undefined) return carriedHere(parts, asked, transaction, came)
  // The table may have changed since the first attempt, whose answer the till may not have.
  const before = came === undefined ? Effect.undefined : Turns.find(till.query, connection.n, came.id)
  return Effect.flatMap(before, (stored) =>
    stored === undefined
      ? noted(parts, asked, Replies.refuse("ERROR_INVALID_RESTAURANT"), "The restaurant is not in the table.")
      : carriedHere(parts, asked, transaction, came)
  )
}

/** The same of a restaurant that is in the table, or of a transaction that has come before. */
const carriedHere = (
  parts: Parts,
  { id = "", restaurant }: Asked,
  transaction: Exclude<Wire.Transaction, { type: "LOYALTY_TRANSFER" }>,
  came: Came | undefined
): Effect.Effect<Replies.ToastReply, Refused> => {
  const { connection, mayName, till } = parts
  if (transaction.type === "LOYALTY_SEARCH") return Guests.search(till, connection, transaction.body, mayName)
  const program = till.programs.get(connection.program)
  if (program === undefined) return Effect.succeed(Replies.again)
  if (transaction.type === "LOYALTY_INQUIRE")
    return inquire(till, { connection, program, id, restaurant }, transaction.body)
  if (came === undefined) return Effect.succeed(Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"))
  return transaction.type === "LOYALTY_SIGNUP"
    ? signedUp(parts, came, transaction.body)
    : aboutCheck(parts, came, transaction)
}

/** A transaction that writes, as it is kept; undefined: it writes nothing, or has no id that can be kept. */
const cameOf = (
  { connection }: Parts,
  { body, id, restaurant }: Asked,
  transaction: Wire.Transaction
): Came | undefined =>
  id === undefined || !idPattern.test(id) || !writes.has(transaction.type)
    ? undefined
    : { connection: connection.n, id, type: transaction.type, check: checkOf(transaction), restaurant, request: body }

/** Answers a request whose key was right. */
export const answer = (parts: Parts, asked: Asked): Effect.Effect<Replies.ToastReply> => {
  const { connection, till } = parts
  if (!connection.isActive) return answerOver(parts, asked)
  const read = Wire.read(asked.type, asked.body)
  if (Result.isFailure(read)) {
    const [fault] = read.failure.faults
    const reason = fault === undefined ? "The type is not known." : `${fault.path} ${fault.message}`
    return inTime(till, orAgain(noted(parts, asked, Replies.refuse(read.failure.status), reason)))
  }
  const transaction = read.success
  const came = cameOf(parts, asked, transaction)
  const work = orAgain(carried(parts, asked, transaction, came))
  return came !== undefined && transaction.type === "LOYALTY_REDEEM" ? decided(parts, came, work) : inTime(till, work)
}

/** Finishes what has begun on a check and nobody works on; REDEEMs are undone. */
export const finish = Effect.fnUntraced(function* (till: TillParts, connection: KnownConnection, check: string) {
  const taken = yield* Turns.take(till, { connection: connection.n, check })
  if (typeof taken === "string") return
  yield* finishOthers(till, connection, taken.turn, { n: undefined, id: undefined })
  yield* Turns.leave(till.query, taken.turn)
})

/** The same of a sign-up. */
export const finishSignUp = Effect.fnUntraced(function* (till: TillParts, connection: KnownConnection, stored: Stored) {
  const read = Wire.read(stored.type, Turns.requestOf(till.claimKey, connection.n, stored) ?? new Uint8Array())
  if (Result.isFailure(read) || read.success.type !== "LOYALTY_SIGNUP") return
  const ended = yield* Guests.signUp(till, connection, stored.transaction_id, read.success.body)
  if (ended !== undefined) yield* Turns.endAlone(till, stored.n, ended)
})
