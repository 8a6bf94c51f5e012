/** An emulated till: sends requests, and again by the vendor's rules. */
import { Effect, Result, Schema } from "effect"
import { lenientDecoder } from "../../../../contract/Decode.ts"
import * as Wire from "../Wire.ts"
import type { Dice } from "./Dice.ts"
import type { Ids } from "./Tab.ts"

/** The host does not answer, not as the contract has it, or takes no request of this till. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { message: Schema.String }) {}

/** The vendor's till waits this long for an answer, ms. */
const waitMs = 5_000
/** Attempts for one request before the emulator ends: a node's end takes 4 s. */
const maxAttempts = 40
/** Wait before an attempt after an answer of failure, ms. */
const pauseMs = 250

export interface Told {
  readonly status: number
  readonly answer: Wire.Answer
  /** The id under which it was carried out. */
  readonly transaction: string
}

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Hang up after so long, ms. */
  readonly waitMs: number
}

/** A host's answer; undefined: none came in time. */
export type Send = (post: Post) => Effect.Effect<{ readonly status: number; readonly text: string } | undefined>

/** Sends over HTTP. */
export const overHttp: Send = ({ body, headers, url, waitMs }) =>
  Effect.promise(async (signal) => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
      })
      return { status: response.status, text: await response.text() }
    } catch {
      return undefined
    }
  })

export interface Estate {
  /** The connection's address. */
  readonly url: string
  readonly key: string
  /** The restaurant's external id. */
  readonly restaurant: string
}

export interface Till {
  readonly send: (
    type: Wire.TransactionType,
    information: Readonly<Record<string, unknown>>,
    transaction?: string
  ) => Effect.Effect<Told, NoAnswer>
  /** Requests, and those of them that were repeated. */
  readonly sent: { requests: number; repeats: number }
}

/** Why no lunch can be played: each further request would be refused as well. */
const refusalOf = ({ restaurant }: Estate, { transactionStatus }: Wire.Answer): string | undefined => {
  if (transactionStatus === "ERROR_INVALID_TOKEN")
    return "The service refuses the key (ERROR_INVALID_TOKEN): the key or the address is wrong, or the connection is paused or deleted."
  return transactionStatus === "ERROR_INVALID_RESTAURANT"
    ? `The connection has no restaurant "${restaurant}" (ERROR_INVALID_RESTAURANT): name one of its table with --restaurant, or add it there.`
    : undefined
}

const decodeAnswer = lenientDecoder(Wire.Answer)

const readAnswer = (status: number, text: string): Effect.Effect<Wire.Answer, NoAnswer> =>
  Effect.suspend(() => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      value = undefined
    }
    const answer = decodeAnswer(value)
    return Result.isSuccess(answer)
      ? Effect.succeed(answer.success)
      : Effect.fail(new NoAnswer({ message: `The address answered ${status} with what is no answer to a till.` }))
  })

/** `chaos`: some requests are cut off before their answer, and some are sent twice. */
export const make = (estate: Estate, send: Send, ids: Ids, chaos: Dice | undefined): Till => {
  const sent = { requests: 0, repeats: 0 }
  const once = (type: Wire.TransactionType, information: object, transaction: string, wait: number) => {
    sent.requests++
    return send({
      url: estate.url,
      headers: {
        [Wire.headers.type]: type,
        [Wire.headers.transaction]: transaction,
        [Wire.headers.restaurant]: estate.restaurant,
        [Wire.headers.key]: `Bearer ${estate.key}`
      },
      body: { toastTransactionType: type, ...information },
      waitMs: wait
    })
  }
  /** One attempt: the answer, or why the till asks again. */
  const attempted = Effect.fnUntraced(function* (
    type: Wire.TransactionType,
    information: object,
    transaction: string,
    wait: number
  ): Effect.fn.Return<Told | "unanswered" | "failed", NoAnswer> {
    const reply = yield* once(type, information, transaction, wait)
    if (reply === undefined) return "unanswered"
    const answer = yield* readAnswer(reply.status, reply.text)
    const message = refusalOf(estate, answer)
    if (message !== undefined) return yield* new NoAnswer({ message })
    // An answer of failure to a redemption is the end of it.
    if (reply.status === 500 && type !== "LOYALTY_REDEEM") return "failed"
    return { status: reply.status, answer, transaction }
  })
  /** Waits where the till does. The id under which it asks again. */
  const before = (told: "unanswered" | "failed", type: Wire.TransactionType, transaction: string) => {
    sent.repeats++
    // Without an answer any request comes again as it was; after a failure a check comes under a new id.
    const next = told === "failed" && type === "LOYALTY_ACCRUE" ? ids() : transaction
    return Effect.as(told === "failed" ? Effect.sleep(pauseMs) : Effect.void, next)
  }
  const repeated = (type: Wire.TransactionType, information: object, transaction: string) =>
    chaos?.once(10) === true ? once(type, information, transaction, waitMs) : Effect.void
  return {
    sent,
    send: Effect.fnUntraced(function* (type, information, given = ids()) {
      let transaction = given
      let wait = chaos?.once(6) === true ? chaos.between(1, 15) : waitMs
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const told = yield* attempted(type, information, transaction, wait)
        if (typeof told === "object") {
          yield* repeated(type, information, transaction)
          return told
        }
        wait = waitMs
        transaction = yield* before(told, type, transaction)
      }
      return yield* new NoAnswer({ message: `${type} had no answer in ${maxAttempts} attempts.` })
    })
  }
}
