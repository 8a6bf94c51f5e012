/**
 * Guests sign in and join by a code to their e-mail address or telephone (contract/guests.md *Codes*, *Joining*).
 *
 * Invariant: before a right code nothing depends on whether somebody has the address, but the words of the mail. A code is
 * spent in the transaction that opens the session, so what a kill leaves undone is done by entering the code again; sign-ins of
 * an address come one after the other, so a guest who joins twice is found the second time.
 */
import { Effect, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { serviceTime } from "../../base/time/Times.ts"
import { GuestApi } from "../../contract/guest/Api.ts"
import type { AskForCode, ChooseGuest, EnterCode, Join, JoinWithCode } from "../../contract/guest/SignIn.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Program } from "../../core/rules/Program.ts"
import { orUnavailable, refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Profiles from "../members/Profiles.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./CodeStore.ts"
import * as Codes from "./Codes.ts"
import { type Contact, identityOf, ofEmail, ofPhone } from "./Contact.ts"
import * as Counts from "./Counts.ts"
import * as GuestSessions from "./GuestSessions.ts"
import * as Joining from "./Joining.ts"
import * as SignIns from "./SignIns.ts"

const needed = Effect.gen(function* () {
  /** A sign-in holds a connection while another one has the address, and while its guest is enrolled. */
  const inTurn = Semaphore.makeUnsafe(Bounds.signInsAtOnce).withPermits(1)
  yield* SignIns.begin
  const parts = yield* Codes.needed
  return { ...parts, profiles: yield* Profiles.make(parts.query), time: yield* serviceTime, inTurn }
})
type Parts = Effect.Success<typeof needed>

const useOf = (program: Program): Store.Use => ({ program: program.id, purpose: "sign_in", account: undefined })

/** The guests of an address: by their profiles, or known to a till by the address's hash. */
const guestsOf = Effect.fnUntraced(function* (
  { claimKey, findIdentity, query }: Parts,
  program: Program,
  contact: Contact
) {
  const key = ClaimKeys.identity(claimKey, program.id, identityOf(contact))
  const known = yield* orUnavailable(findIdentity(key))
  return yield* Store.guestsOf(query, program.id, contact, known)
})

const contactOf = ({ email, phone }: typeof AskForCode.Type): Effect.Effect<Contact, Refused> => {
  if (email !== undefined && phone === undefined) return Effect.succeed(ofEmail(email))
  if (phone !== undefined && email === undefined) return Effect.succeed(ofPhone(phone))
  return refuseFaults([{ path: "", message: "must have either `email` or `phone`" }])
}

const ask = Effect.fnUntraced(function* (parts: Parts, program: Program, asked: typeof AskForCode.Type) {
  const { join, language } = asked
  const contact = yield* contactOf(asked)
  yield* Counts.boundNetwork(parts, "ask", Bounds.codesPerNetwork)
  yield* Counts.boundProgram(parts, program.id)
  yield* Joining.check(parts, join, "/join")
  const guests = yield* guestsOf(parts, program, contact)
  const answer = yield* Codes.ask(parts, {
    program,
    use: useOf(program),
    isKnown: guests.length > 0,
    kept: {
      contact,
      language: GuestSessions.languageOf(program, language),
      ...(join === undefined ? undefined : { join })
    }
  })
  yield* SignIns.count(contact.kind, "asked")
  return answer
})

/** The next step of a right code. */
type Step =
  | { readonly _tag: "Opened"; readonly session: GuestSessions.Opened; readonly isNew: boolean }
  | { readonly _tag: "Choose"; readonly guests: ReadonlyArray<Store.GuestRow> }
  | { readonly _tag: "Join" }

interface Entered {
  readonly program: Program
  readonly request: string
  readonly kept: Codes.Kept
  /** The facts that a guest who joins has entered. */
  readonly join: Join | undefined
  /** Chooses among the guests; undefined: no choice was made. */
  readonly choose?: (guest: Store.GuestRow) => boolean
}

/** Goes on after a right code: opens the session of the one guest, who joins if she has entered what that needs. */
const goOn = (parts: Parts, { choose, join, kept, program, request }: Entered) => {
  const { inTurn, now, query, transaction } = parts
  const work = Effect.gen(function* () {
    yield* Store.holdAddress(query, program.id, kept.contact)
    const all = yield* guestsOf(parts, program, kept.contact)
    const guests = choose === undefined ? all : all.filter(choose)
    const [only, ...others] = guests
    if (others.length > 0) return { _tag: "Choose", guests } satisfies Step
    if (only === undefined && (join === undefined || choose !== undefined)) return { _tag: "Join" } satisfies Step
    // Committed by itself: after a kill the guest is found by the address, or by the request if that comes too early.
    const account =
      only?.account ?? (yield* Joining.enrol(parts, program, { request, contact: kept.contact, join: join! }))
    const hadAccount = only !== undefined && join !== undefined
    if (hadAccount) yield* Joining.add(parts, program, { ...only, join })
    yield* Codes.spend(parts, useOf(program), request)
    yield* Store.setLanguage(query, account, kept.language)
    yield* Store.confirm(query, account, kept.contact)
    const at = now()
    const opening = {
      account,
      by: kept.contact.kind === "email" ? ("code" as const) : ("phone" as const),
      freshUntil: at + Bounds.freshMs
    }
    const session = yield* GuestSessions.begin(query, program, opening, at)
    return { _tag: "Opened", session: { ...session, hadAccount }, isNew: only === undefined } satisfies Step
  })
  return inTurn(transaction(work))
}

/** Stands for a guest in one request: it tells nobody the member's id. */
const choiceOf = ({ claimKey }: Parts, request: string, { account }: Store.GuestRow): string =>
  claimKey("guest choice", request, String(account))

const answered = Effect.fnUntraced(function* (parts: Parts, { kept, program, request }: Entered, step: Step) {
  switch (step._tag) {
    case "Opened":
      yield* SignIns.count(kept.contact.kind, step.isNew ? "joined" : "signed_in")
      return yield* GuestSessions.signedIn(parts, program, step.session, step.isNew ? 201 : 200)
    case "Join":
      return HttpServerResponse.jsonUnsafe({ status: "join", request_id: request })
    case "Choose":
      return HttpServerResponse.jsonUnsafe({
        status: "choose",
        request_id: request,
        guests: step.guests.map((guest) => ({
          guest: choiceOf(parts, request, guest),
          ...(guest.name === undefined ? undefined : { name: guest.name }),
          joined_at: fromMillis(guest.joined),
          ...(guest.card === undefined ? undefined : { card_ending: guest.card.slice(-4) })
        }))
      })
  }
})

const enter = Effect.fnUntraced(function* (parts: Parts, program: Program, entered: typeof EnterCode.Type) {
  yield* Counts.boundNetwork(parts, "enter", Bounds.entriesPerNetwork)
  const kept = yield* Codes.enter(parts, useOf(program), entered)
  const facts: Entered = { program, request: entered.request_id, kept, join: kept.join }
  return yield* answered(parts, facts, yield* goOn(parts, facts))
})

const choose = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  { guest, request_id: request }: typeof ChooseGuest.Type
) {
  const kept = yield* Codes.right(parts, useOf(program), request)
  const isChosen = (one: Store.GuestRow) => choiceOf(parts, request, one) === guest
  const facts: Entered = { program, request, kept, join: kept.join, choose: isChosen }
  const step = yield* goOn(parts, facts)
  return step._tag === "Opened" ? yield* answered(parts, facts, step) : yield* noChoice
})

const noChoice: Effect.Effect<never, Refused> = refuse("unauthorized", "The request has no such guest.")

const join = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  { join: facts, request_id: request }: typeof JoinWithCode.Type
) {
  yield* Joining.check(parts, facts, "/join")
  const kept = yield* Codes.right(parts, useOf(program), request)
  const entered: Entered = { program, request, kept, join: facts }
  const step = yield* goOn(parts, entered)
  return step._tag === "Opened"
    ? yield* answered(parts, entered, step)
    : yield* refuse("conflict", "Several guests have the address: choose one.")
})

export const layer = HttpApiBuilder.group(GuestApi, "guest_sign_in", (handlers) =>
  Effect.map(needed, (parts) => {
    const known = (id: string) => Visible.known(parts.programs, id)
    return handlers
      .handle("askForGuestCode", ({ params, payload }) =>
        Effect.flatMap(known(params.program_id), (program) => ask(parts, program, payload))
      )
      .handle("enterGuestCode", ({ params, payload }) =>
        Effect.flatMap(known(params.program_id), (program) => enter(parts, program, payload))
      )
      .handle("chooseGuest", ({ params, payload }) =>
        Effect.flatMap(known(params.program_id), (program) => choose(parts, program, payload))
      )
      .handle("joinWithGuestCode", ({ params, payload }) =>
        Effect.flatMap(known(params.program_id), (program) => join(parts, program, payload))
      )
  })
)
