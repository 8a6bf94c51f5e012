/**
 * Codes of six digits, which are mailed, or sent to a telephone, and entered with the request that asked for them
 * (contract/guests.md *Codes*). The request's id is unguessable: strangers neither guess a code of a guest nor use up her tries.
 */
import { Effect, Schema } from "effect"
import { randomBytes, randomInt } from "node:crypto"
import { Join } from "../../contract/guest/SignIn.ts"
import { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { digestOf } from "../../desk/access/Keys.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Mail from "../mail/Mail.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./CodeStore.ts"
import { Contact } from "./Contact.ts"
import * as Counts from "./Counts.ts"
import { pagedProgram } from "./CurrentGuest.ts"
import * as GuestSessions from "./GuestSessions.ts"
import * as Letters from "./Letters.ts"
import * as PhoneCodes from "./PhoneCodes.ts"
import * as SignIns from "./SignIns.ts"

/** Facts of a request that are kept until its code is used. */
const Kept = Schema.Struct({
  contact: Contact,
  language: Schema.String,
  /** The e-mail address that the new one takes the place of. */
  before: Schema.optionalKey(Schema.String),
  join: Schema.optionalKey(Join)
})
export type Kept = typeof Kept.Type
const text = Schema.fromJsonString(Kept)
const encode = Schema.encodeSync(text)
const decode = Schema.decodeSync(text)

export const needed = Effect.gen(function* () {
  const { claimKey, findIdentity } = yield* Journal
  return { ...(yield* GuestSessions.needed), claimKey, findIdentity, mail: yield* Mail.CurrentMail }
})
export type Parts = Effect.Success<typeof needed>

/** Six digits, all equally likely. */
const digits = (): string => String(randomInt(1_000_000)).padStart(6, "0")

const hashOf = ({ claimKey }: Parts, request: string, code: string) => claimKey("guest code", request, code)

/** Before anything depends on the address. */
const full = Effect.fail(
  new Refused({
    code: "overloaded",
    detail: "Too many mails wait to be sent; nothing was done. Wait as Retry-After says.",
    retryAfter: Bounds.fullRetrySeconds
  })
)

interface Asked {
  readonly program: Program
  readonly use: Store.Use
  readonly kept: Kept
  /** True if somebody has the address. */
  readonly isKnown: boolean
}

/** Stands for the code of a request whose address gets no mail. It is the hash of no code. */
const noCode = "00000000-0000-0000-0000-000000000000"

/** A way to send a code. `isWithin`: the address may get one more. `post`: false if too many wait. */
interface Way {
  readonly isWithin: boolean
  readonly post: (code: string, until: number) => Effect.Effect<boolean, Refused>
}

const byMail = Effect.fnUntraced(function* (
  parts: Parts,
  { isKnown, kept: { contact, language }, program, use }: Asked
): Effect.fn.Return<Way, Refused, CurrentCaller> {
  const { claimKey, query } = parts
  if (parts.mail === undefined) return yield* refuse("invalid_state", "This service sends no e-mail.")
  const page = yield* pagedProgram(program)
  if (!(yield* Mail.hasRoom(query, "guest_code"))) return yield* full
  const to = contact.address
  return {
    isWithin: yield* Counts.mayMail(parts, program.id, to),
    post: (code, until) => {
      const leadsTo = use.purpose === "email" ? "address" : isKnown ? "code" : "joining"
      const letter = Letters.code(Letters.lookOf(program.id, page), language, code, leadsTo)
      return Mail.post(query, claimKey, { kind: "guest_code", to, letter, until })
    }
  }
})

/**
 * Sends a code, and keeps its hash. The same statements run for each address, known or not. An address that has had
 * its codes of the hour gets none, and no code works: each one that did would be five more guesses.
 */
export const ask = Effect.fnUntraced(function* (parts: Parts, asked: Asked) {
  const { claimKey, now, query, transaction } = parts
  const { kept, program, use } = asked
  const { contact, language } = kept
  const way: Way =
    contact.kind === "email"
      ? yield* byMail(parts, asked)
      : yield* PhoneCodes.open(parts, {
          program,
          phone: contact.address,
          language,
          isOfSession: use.purpose !== "sign_in"
        })
  const request = randomBytes(32).toString("base64url")
  const code = digits()
  const at = now()
  const hash = digestOf(request)
  const sealed = Sealed.seal(claimKey, hash.toString("hex"), encode(kept))
  const until = at + Bounds.codeMs
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.insert(query, use, hash, way.isWithin ? hashOf(parts, request, code) : noCode, sealed, at)
      if (way.isWithin && !(yield* way.post(code, until))) return yield* full
    })
  )
  return { request_id: request, expires_at: fromMillis(until) }
})

const wrong = refuse("unauthorized", "The code is wrong, was used, or is over. After five wrong ones, ask for another.")

/** Of codes that sign in, wrong ones are counted. */
const refused = ({ purpose }: Store.Use, way: "email" | "phone" | "unknown") =>
  Effect.andThen(purpose === "sign_in" ? SignIns.count(way, "refused") : Effect.void, wrong)

const opened = ({ claimKey }: Parts, request: string, sealed: Uint8Array): Kept =>
  decode(Sealed.open(claimKey, digestOf(request).toString("hex"), Buffer.from(sealed)))

/** Facts that were kept of a request, if the code is right. */
export const enter = Effect.fnUntraced(function* (
  parts: Parts,
  use: Store.Use,
  { code, request_id }: { readonly code: string; readonly request_id: string }
): Effect.fn.Return<Kept, Refused> {
  const entered = yield* Store.enter(
    parts.query,
    use,
    digestOf(request_id),
    hashOf(parts, request_id, code),
    parts.now()
  )
  if (entered === undefined) return yield* refused(use, "unknown")
  const kept = opened(parts, request_id, entered.sealed)
  return entered.isRight ? kept : yield* refused(use, kept.contact.kind)
})

/** Facts that were kept of a request whose code was right. */
export const right = Effect.fnUntraced(function* (
  parts: Parts,
  use: Store.Use,
  request: string
): Effect.fn.Return<Kept, Refused> {
  const found = yield* Store.right(parts.query, use, digestOf(request), parts.now())
  return found === undefined ? yield* wrong : opened(parts, request, found.sealed)
})

/** Spends the code in the open transaction; refused if somebody else has. */
export const spend = ({ query }: Parts, use: Store.Use, request: string): Effect.Effect<void, Refused> =>
  Effect.flatMap(Store.spend(query, use, digestOf(request)), (isSpent) => (isSpent ? Effect.void : wrong))
