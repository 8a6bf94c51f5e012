/**
 * Turns a request into a guarded command on an account, and the record into an
 * answer.
 */
import { Effect } from "effect"
import { canonical } from "../../contract/Decode.ts"
import type { WriteContext } from "../../contract/protocol/Context.ts"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Accounts } from "../account/Accounts.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import type { Recorded } from "../account/Codec.ts"
import type { Action } from "../account/domain/Action.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import { isErased } from "../account/domain/State.ts"
import type { Guards } from "../account/Guards.ts"
import type { Outcome, Resident, Shown, Trouble } from "../account/Outcome.ts"
import { orUnavailable, unavailable } from "../account/Outcome.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import { Journal } from "../journal/Journal.ts"
import { type Claim, entryId, type Hash128, type JournalUnavailable, type MemberRow } from "../journal/Records.ts"
import { Programs } from "../programs/Programs.ts"
import type { Caller, Handled, Posted } from "./Handler.ts"
import { noProgram, ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"

/** The request as records keep it (`JournalRecord.origin`). */
export const originOf = ({ request_id, source: { instance, system } }: WriteContext): string =>
  instance === undefined ? `${request_id} ${system}` : `${request_id} ${system} ${instance}`

/** A request without its context: the payload that idempotency compares. */
export const payload = <R extends { readonly context: unknown }>({ context: _, ...rest }: R) => rest

/** Postings of a record, for the log line of its request. */
export const postedIn = ({ account, events, reply }: Recorded): Posted => {
  switch (reply.type) {
    case "entries":
      return {
        account,
        entries: events.flatMap((event) =>
          event.type === "posted" && event.n >= reply.first && event.n <= reply.last ? [entryId(account, event.n)] : []
        )
      }
    case "reservation":
      return { account, reservation: reply.reservation.reservation }
    default:
      return { account }
  }
}

const noData: MemberRow = { identities: [] }

const noClaims: ReadonlyArray<Claim> = []

/** Renders a record as the answer of its operation. */
type BodyFrom<Body> = (told: Render.Told) => Body

/** `holder`: the owner of the balances, if the record was repeated on another account. */
const answered = <Body extends object>(
  body: BodyFrom<Body>,
  record: Recorded,
  owner: Render.Owner,
  { member, state }: Pick<Shown, "member" | "state">,
  isReplay: boolean,
  holder: Render.Owner = owner
): Handled<Body> => ({
  _tag: "Answer",
  created: Render.isCreated(record),
  processedAt: record.repeat?.at ?? record.at,
  body: body({ owner, record, state, member, holder }),
  posted: postedIn(record),
  isReplay
})

/**
 * A payload's facts without the ids of its member: a fingerprint of them stands for the member's account, whichever of
 * its ids is sent (contract/idempotency.md *Keys*).
 */
export interface Facts {
  readonly text: string
  /** The ids that the payload gives its member beside `member_id`. */
  readonly named: ReadonlyArray<string>
}

/** A checked timestamp as `fromMillis` formats its instant. Most are so already, or lack just the milliseconds. */
export const instantOf = (timestamp: string): string => {
  if (timestamp.charAt(10) === "T" && timestamp.endsWith("Z")) {
    if (timestamp.length === 20) return `${timestamp.slice(0, 19)}.000Z`
    if (timestamp.length === 24) return timestamp
  }
  return fromMillis(toMillis(timestamp))
}

/** Times that callers set, by their property. */
interface Dated {
  readonly placed_at?: string
  readonly closed_at?: string
  readonly occurred_at?: string
  readonly expires_at?: string
}

/** The same with one spelling for an instant (contract/idempotency.md *Keys*). The order of properties stays. */
const inInstants = <A extends Dated>(sent: A): A => ({
  ...sent,
  ...(sent.placed_at === undefined ? undefined : { placed_at: instantOf(sent.placed_at) }),
  ...(sent.closed_at === undefined ? undefined : { closed_at: instantOf(sent.closed_at) }),
  ...(sent.occurred_at === undefined ? undefined : { occurred_at: instantOf(sent.occurred_at) }),
  ...(sent.expires_at === undefined ? undefined : { expires_at: instantOf(sent.expires_at) })
})

/** The facts of a payload with a `member_id`. */
export const factsOf = (
  sent: Dated & { readonly member_id: string; readonly program_id?: string; readonly adjustment?: Dated }
): Facts => ({
  text: canonical({
    ...inInstants(sent),
    member_id: "",
    ...(sent.adjustment === undefined ? undefined : { adjustment: inInstants(sent.adjustment) })
  }),
  named: []
})

/** An order's facts, without its member's id. That it has one is part of them. */
export const factsOfOrder = (order: Order): Order => {
  const facts = inInstants(order)
  return order.member_id === undefined ? facts : { ...facts, member_id: "" }
}

/** The ids that an order gives its member. */
export const namesIn = ({ member_id }: Order): ReadonlyArray<string> => (member_id === undefined ? [] : [member_id])

/** The claims of writes. */
const guardsOf = (claimKey: ClaimKey) => {
  const keyOf = (operation: OperationId, program: string, { idempotency_key, source }: WriteContext): Hash128 =>
    ClaimKeys.idempotency(claimKey, program, source.system, operation, idempotency_key)

  /** The claim of a write that names no member: its key with the whole payload. */
  const keyed = (
    operation: OperationId,
    program: string,
    context: WriteContext,
    text: string
  ): Required<Pick<Guards, "key">> => ({
    key: { key: keyOf(operation, program, context), fingerprint: claimKey("payload", text) }
  })

  /**
   * The claims of a write for a member: its key with the whole payload, its business identifier with its facts. An
   * operator's write has no context: the surface keeps its key.
   */
  const guard = (
    operation: OperationId,
    program: string,
    context: WriteContext | undefined,
    business: Hash128,
    { named, text }: Facts,
    further: ReadonlyArray<Claim> = noClaims
  ): Guards & Required<Pick<Guards, "business">> => ({
    ...(context && {
      key: { key: keyOf(operation, program, context), fingerprint: claimKey("payload", text), hasEnd: true }
    }),
    business: { key: business, fingerprint: claimKey("facts", operation, text) },
    named,
    further
  })

  /**
   * The same for a payload of an order's facts and perhaps an evaluation's id: the facts are hashed once and stand
   * for the payload.
   */
  const guardFacts = (
    operation: OperationId,
    program: string,
    context: WriteContext,
    evaluation: string | undefined,
    business: Hash128,
    { named, text }: Facts
  ): Guards => {
    const fingerprint = claimKey("facts", operation, text)
    const whole = evaluation === undefined ? fingerprint : claimKey("facts and evaluation", fingerprint, evaluation)
    return {
      key: { key: keyOf(operation, program, context), fingerprint: whole, hasEnd: true },
      business: { key: business, fingerprint },
      named
    }
  }

  return { guard, guardFacts, keyed }
}

/** An account's own state, also of a merged member. */
const ownStateOf = (accounts: Accounts["Service"], account: number) =>
  Effect.map(accounts.readOn(account, true), (found): Resident | Trouble => found ?? unavailable)

/**
 * Builds the answer from a record alone, for which accounts are read. No record holds the identities and attributes of an
 * enrolment's answer. `enrolled`: those of a new member, with which each replay comes too; those of a member that was
 * found are stored apart. Only an erasure takes them out of the body. A merge is answered with those of now.
 */
const renderedAlone = Effect.fnUntraced(function* <Body extends object>(
  accounts: Accounts["Service"],
  shownMember: Journal["Service"]["shownMember"],
  body: BodyFrom<Body>,
  record: Recorded,
  isReplay: boolean,
  enrolled: MemberRow | undefined
): Effect.fn.Return<Handled<Body>, JournalUnavailable> {
  const found = yield* ownStateOf(accounts, record.account)
  if (found._tag !== "Resident") return found
  const owner = ownerOf(found)
  const { repeat } = record
  if (repeat !== undefined && repeat.account !== record.account) {
    const remaining = yield* ownStateOf(accounts, repeat.account)
    if (remaining._tag !== "Resident") return remaining
    return answered(body, record, owner, found, isReplay, ownerOf(remaining))
  }
  if (record.reply.type !== "member") return answered(body, record, owner, found, isReplay)
  // The erasure of a member includes those merged into it.
  const now = yield* accounts.readOn(record.account)
  if (now?._tag !== "Resident") return now ?? unavailable
  const { created } = record.reply
  const shown =
    enrolled === undefined ? now.member : created ? enrolled : yield* shownMember(record.account, record.seq)
  const member = isErased(now.state) ? undefined : shown
  return answered(body, record, owner, { ...found, member: member ?? noData }, isReplay)
}, orUnavailable)

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { claimKey, shownMember } = yield* Journal
  const programs = yield* Programs

  /** Builds the answer from a record, for its own request and for replays. `enrolled`: see `renderedAlone`. */
  const rendered = <Body extends object>(
    body: BodyFrom<Body>,
    outcome: Outcome,
    enrolled?: MemberRow
  ): Effect.Effect<Handled<Body>> => {
    if (outcome._tag !== "Answered") return Effect.succeed(outcome)
    const { isReplay = false, record, resident } = outcome
    return resident === undefined
      ? renderedAlone(accounts, shownMember, body, record, isReplay, enrolled)
      : Effect.succeed(answered(body, record, ownerOf(resident), resident, isReplay))
  }

  const write = <Body extends object>(
    body: BodyFrom<Body>,
    caller: Caller,
    context: WriteContext,
    program: string,
    member: string,
    action: Action,
    guards: Guards
  ): Effect.Effect<Handled<Body>> =>
    programs.get(program) === undefined
      ? Effect.succeed(noProgram(program))
      : Effect.flatMap(
          accounts.execute(program, member, {
            action,
            guards: caller.once === undefined ? guards : { ...guards, once: caller.once },
            actor: caller.name,
            origin: originOf(context)
          }),
          (outcome) => rendered(body, outcome)
        )

  /**
   * A write on the account that a reservation or an issued reward belongs to, guarded in that account's programme;
   * `unknown` if there is no such account.
   */
  const writeOn = <Body extends object>(
    body: BodyFrom<Body>,
    number: number | undefined,
    caller: Caller,
    context: WriteContext,
    unknown: Refusal,
    action: Action,
    guards: (program: string) => Guards
  ): Effect.Effect<Handled<Body>> => {
    if (number === undefined) return Effect.succeed(unknown)
    const command = (program: string) => ({
      action,
      guards: guards(program),
      actor: caller.name,
      origin: originOf(context)
    })
    return Effect.flatMap(accounts.executeOn(number, command, caller.programs), (outcome) =>
      outcome === undefined ? Effect.succeed(unknown) : rendered(body, outcome)
    )
  }

  return { ...guardsOf(claimKey), claimKey, rendered, write, writeOn }
})

export type Writes = Effect.Success<typeof make>
