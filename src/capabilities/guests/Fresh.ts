/** Changes that a guest makes by a fresh code: of the e-mail address, and leaving (contract/guests.md *Fresh codes*, *Leaving*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { GuestApi } from "../../contract/guest/Api.ts"
import { isOfCountry } from "../../contract/Phones.ts"
import { fromMillis } from "../../contract/Values.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Mail from "../mail/Mail.ts"
import * as Profiles from "../members/Profiles.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./CodeStore.ts"
import * as Codes from "./Codes.ts"
import { ofEmail, ofPhone } from "./Contact.ts"
import * as Counts from "./Counts.ts"
import { CurrentGuest, freshGuest, type Guest, pagedProgram } from "./CurrentGuest.ts"
import * as GuestSessions from "./GuestSessions.ts"
import * as Letters from "./Letters.ts"
import * as Sessions from "./SessionStore.ts"

const needed = Effect.gen(function* () {
  const parts = yield* Codes.needed
  return { ...parts, profiles: yield* Profiles.make(parts.query) }
})
type Parts = Effect.Success<typeof needed>

const useOf = ({ account, program }: Guest, purpose: "fresh" | "email"): Store.Use => ({
  program: program.id,
  purpose,
  account
})

/** The guest's own address; undefined: there is none. */
const addressOf = ({ profiles }: Parts, { account }: Guest) => Effect.map(profiles.show(account), ({ email }) => email)

/** Where the guest gets a code: by e-mail, else on the telephone where that is possible. */
const contactOf = Effect.fnUntraced(function* ({ mail, profiles }: Parts, { account, program }: Guest) {
  const { email, phone } = yield* profiles.show(account)
  if (email !== undefined && (mail !== undefined || phone === undefined)) return ofEmail(email)
  return phone !== undefined && isOfCountry(phone, program.file.country) ? ofPhone(phone) : undefined
})

const askFresh = Effect.fnUntraced(function* (parts: Parts) {
  const guest = yield* CurrentGuest
  yield* Counts.boundNetwork(parts, "ask", Bounds.codesPerNetwork)
  const contact = yield* contactOf(parts, guest)
  if (contact === undefined)
    return yield* refuse("invalid_state", "The guest has no address to which a code can be sent.")
  const { language, program } = guest
  return yield* Codes.ask(parts, { program, use: useOf(guest, "fresh"), isKnown: true, kept: { contact, language } })
})

const enterFresh = Effect.fnUntraced(function* (
  parts: Parts,
  entered: { readonly code: string; readonly request_id: string }
) {
  const guest = yield* CurrentGuest
  yield* Counts.boundNetwork(parts, "enter", Bounds.entriesPerNetwork)
  const { contact } = yield* Codes.enter(parts, useOf(guest, "fresh"), entered)
  const until = parts.now() + Bounds.freshMs
  yield* parts.transaction(
    Effect.all(
      [
        Codes.spend(parts, useOf(guest, "fresh"), entered.request_id),
        Store.confirm(parts.query, guest.account, contact),
        Sessions.freshen(parts.query, guest.session.hash, until)
      ],
      { discard: true }
    )
  )
  return GuestSessions.shown({ ...guest, session: { ...guest.session, freshUntil: until } })
})

const askEmail = Effect.fnUntraced(function* (parts: Parts, typed: string) {
  const guest = yield* freshGuest
  const { account, language, program } = guest
  yield* Counts.boundNetwork(parts, "ask", Bounds.codesPerNetwork)
  yield* Counts.boundGuest(parts, account)
  const before = yield* addressOf(parts, guest)
  const kept = { contact: ofEmail(typed), language, ...(before === undefined ? undefined : { before }) }
  return yield* Codes.ask(parts, { program, use: useOf(guest, "email"), isKnown: true, kept })
})

const told = Effect.fnUntraced(function* (
  { claimKey, now, query }: Parts,
  kind: "guest_email" | "guest_leaves",
  to: string | undefined,
  letter: ReturnType<typeof Letters.addressChanged>
) {
  if (to !== undefined) yield* Mail.post(query, claimKey, { kind, to, letter, until: now() + Bounds.toldMs })
})

/** Changes the address, and tells the former one. Entered again after a kill, it does what is missing. */
const enterEmail = Effect.fnUntraced(function* (
  parts: Parts,
  entered: { readonly code: string; readonly request_id: string }
) {
  const guest = yield* freshGuest
  const { account, memberId, program } = guest
  yield* Counts.boundNetwork(parts, "enter", Bounds.entriesPerNetwork)
  const use = useOf(guest, "email")
  const { before, contact, language } = yield* Codes.enter(parts, use, entered)
  const email = contact.address
  const page = yield* pagedProgram(program)
  const { name, requestId } = yield* CurrentCaller
  const change = { via: "guest", actor: name, origin: requestId, audit: yield* Audit.maker } as const
  yield* parts.profiles.upsert(program, { member_id: memberId, email }, change)
  yield* parts.transaction(
    Effect.all(
      [
        Codes.spend(parts, use, entered.request_id),
        Store.confirm(parts.query, account, contact),
        told(parts, "guest_email", before, Letters.addressChanged(Letters.lookOf(program.id, page), language))
      ],
      { discard: true }
    )
  )
  return { email }
})

/** Notes that the guest leaves. Doing it again keeps the first date. */
const leave = Effect.fnUntraced(function* (parts: Parts) {
  const guest = yield* freshGuest
  const { account, language, memberId, program } = guest
  const page = yield* pagedProgram(program)
  const email = yield* addressOf(parts, guest)
  const { now, query, transaction } = parts
  const leavesAt = yield* transaction(
    Effect.gen(function* () {
      const until = now() + Bounds.leaveMs
      const at = yield* Store.leave(query, account, until)
      const letter = Letters.leaving(Letters.lookOf(program.id, page), language, { at, zone: program.zone })
      if (guest.leavesAt !== undefined) return at
      yield* told(parts, "guest_leaves", email, letter)
      const subject = { type: "member", id: memberId }
      yield* Audit.tell(query, { action: "member.leave", subject, programId: program.id })
      return at
    })
  )
  return { erases_at: fromMillis(leavesAt) }
})

export const layer = HttpApiBuilder.group(GuestApi, "guest_fresh", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("askForFreshCode", () => askFresh(parts))
      .handle("enterFreshCode", ({ payload }) => enterFresh(parts, payload))
      .handle("changeMyEmail", ({ payload }) => askEmail(parts, payload.email))
      .handle("confirmMyEmail", ({ payload }) => enterEmail(parts, payload))
      .handle("leave", () => leave(parts))
  )
)
