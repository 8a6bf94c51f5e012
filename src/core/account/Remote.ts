/**
 * Accounts of other nodes: a call carries a command or a read to the account's owner, and its outcome back. The front
 * has checked the caller; the owner decides, as for its own callers.
 */
import { Cause, Context, Effect, Option, Tracer } from "effect"
import { HttpTraceContext } from "effect/http"
import type { CallFailure, PartitionsOfNode } from "../cluster/Partitions.ts"
import { partitionOf } from "../cluster/Placement.ts"
import type { AuditEntry } from "../journal/Audit.ts"
import { fromText, type StateText, toText } from "./Codec.ts"
import type { Command } from "./Command.ts"
import { type Outcome, type Resident, type Trouble, unavailable } from "./Outcome.ts"
import type { Enrolment, MergeRequest, MoveRequest, Request } from "./Request.ts"

/** An account: of this node, or of another one. */
export interface AccountRef {
  readonly number: number
  readonly programId: string
  /** Executes a command, also if the caller disconnects. */
  readonly execute: (command: Command) => Effect.Effect<Outcome>
  /** The committed state. For a merged member: the other member's state, unless `isOfItself`. */
  readonly read: (isOfItself?: boolean) => Effect.Effect<Resident | Trouble>
  /** Takes over a request; record `seq` of this account is known to be committed. */
  readonly takeOver: (request: Request, seq: number) => void
}

/** An enrolment whose member id and audit entry are made. */
export type PlainEnrolment = Omit<Enrolment, "audit"> & { readonly entry?: AuditEntry | undefined }

/** A call to the owner of an account. */
export type Call = CallRequest & {
  /** The span of the caller, as a `traceparent`; absent: it has none. */
  readonly trace?: string | undefined
}

/** Request of a call. `seq`: a record of the account that is known to be committed. */
type CallRequest =
  | {
      readonly type: "execute"
      readonly account: number
      readonly program: string
      readonly command: Command
      readonly seq: number
    }
  | {
      readonly type: "read"
      readonly account: number
      readonly program: string
      readonly isOfItself: boolean
      readonly seq: number
    }
  | { readonly type: "enroll"; readonly enrolment: PlainEnrolment }
  | {
      readonly type: "merge"
      readonly program: string
      readonly from: number
      readonly into: number
      readonly request: MergeRequest
    }
  | {
      readonly type: "move"
      readonly program: string
      readonly from: number
      readonly into: number
      readonly request: MoveRequest
    }
  /** Keeps the account from deciding and answering until `release`, or until the hold runs out. */
  | { readonly type: "hold"; readonly account: number; readonly program: string; readonly hold: string }
  | Release

/** Ends a hold. From then on the account's present owner shows nothing older than record `seq`. */
export interface Release {
  readonly type: "release"
  readonly account: number
  readonly program: string
  readonly hold: string
  readonly seq: number
}

/** The account is held, or was released. */
export interface Holding {
  readonly _tag: "Holding"
}

type CallOutcome = Outcome | Resident | Holding

interface ResidentText extends Omit<Resident, "state"> {
  readonly state: StateText
}

/** Without what no answer shows: a member's lots, holds and rewards can be many. */
const outcomeText = (outcome: CallOutcome): string => {
  if (outcome._tag === "Resident") return JSON.stringify({ ...outcome, state: toText(outcome.state) })
  if (outcome._tag !== "Answered" || outcome.resident === undefined) return JSON.stringify(outcome)
  const { account, member, state } = outcome.resident
  const shown = { ...state, units: undefined, reservations: undefined, rewards: undefined }
  return JSON.stringify({ ...outcome, resident: { account, member, state: shown } })
}

const outcomeOf = (text: string): CallOutcome => {
  const outcome = JSON.parse(text) as Outcome | ResidentText
  return outcome._tag === "Resident" ? { ...outcome, state: fromText(outcome.state) } : outcome
}

/** The text of a call, with the span that it is made in. */
const payloadOf = (asked: CallRequest): Effect.Effect<string> =>
  Effect.map(Effect.serviceOption(Tracer.ParentSpan), (found) => {
    const span = Option.getOrUndefined(found)
    const trace = span?._tag === "Span" ? HttpTraceContext.toHeaders(span)["traceparent"] : undefined
    const called: Call = trace === undefined ? asked : { ...asked, trace }
    return JSON.stringify(called)
  })

const troubles: { readonly [Failure in Exclude<CallFailure, "mine">]: Trouble } = {
  unavailable,
  unreachable: { _tag: "Unreachable" },
  overloaded: { _tag: "Overloaded" }
}

/** Calls the owner of a partition. `mine`: does the same on this node, which owns it by now. */
export const call = <A>(
  partitions: PartitionsOfNode,
  partition: number,
  asked: CallRequest,
  mine: Effect.Effect<A | Trouble>
): Effect.Effect<A | Trouble> =>
  Effect.flatMap(payloadOf(asked), (payload) =>
    partitions.call(partition, payload, asked.type === "read" || asked.type === "release")
  ).pipe(
    Effect.map((text) => outcomeOf(text) as A | Trouble),
    Effect.catch((failure): Effect.Effect<A | Trouble> => {
      return failure === "mine" ? mine : Effect.succeed(troubles[failure])
    })
  )

/** Answers a call; undefined if the account belongs to another node. */
export type AnswerCall = (asked: Call) => Effect.Effect<CallOutcome> | undefined

/** Changes the answers to other nodes, as for traces. */
export const DecorateAnswer = Context.Reference<(answer: AnswerCall) => AnswerCall>(
  "lotbook/core/account/DecorateAnswer",
  {
    defaultValue: () => (answer) => answer
  }
)

/** The request that a call comes from (`JournalRecord.origin`). */
const originOf = (asked: Call): string | undefined => {
  if (asked.type === "execute") return asked.command.origin
  if (asked.type === "enroll") return asked.enrolment.origin
  return asked.type === "merge" || asked.type === "move" ? asked.request.origin : undefined
}

/** Answers the text of a call. A defect's line in the log names the request, which the caller's line names too. */
export const answerText =
  (answer: AnswerCall) =>
  (text: string): Effect.Effect<string | undefined> => {
    const asked = JSON.parse(text) as Call
    const logged = Effect.suspend(() => answer(asked) ?? Effect.succeed(undefined)).pipe(
      Effect.onError((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.annotateLogs(Effect.logError(`A call of another node (${asked.type}) stopped on a defect`, cause), {
              request: originOf(asked)
            })
      )
    )
    return Effect.map(logged, (outcome) => (outcome === undefined ? undefined : outcomeText(outcome)))
  }

export interface RemoteDeps {
  readonly partitions: PartitionsOfNode
  readonly fork: (effect: Effect.Effect<void>) => void
  /** The account on the node that owns it now. */
  readonly accountOf: (number: number, program: string) => AccountRef
}

/** An account of another node. */
export const account = (deps: RemoteDeps, number: number, programId: string): AccountRef => {
  const { accountOf, fork, partitions } = deps
  const partition = partitionOf(number)
  const execute = (command: Command, seq = 0): Effect.Effect<Outcome> =>
    call<Outcome>(
      partitions,
      partition,
      { type: "execute", account: number, program: programId, command, seq },
      Effect.suspend(() => accountOf(number, programId).execute(command))
    )
  const read = (isOfItself = false, seq = 0): Effect.Effect<Resident | Trouble> =>
    call<Resident>(
      partitions,
      partition,
      { type: "read", account: number, program: programId, isOfItself, seq },
      Effect.suspend(() => accountOf(number, programId).read(isOfItself))
    )
  /** Answers a request of a mailbox by a call. */
  const takeOver = (request: Request, seq: number): void => {
    if (request.type === "hold") return request.done(unavailable)
    const answered =
      request.type === "command"
        ? Effect.map(execute(request.command, seq), request.done)
        : Effect.map(read(request.isOfItself, seq), request.done)
    fork(Effect.catchCause(answered, (cause) => Effect.sync(() => request.broke(cause))))
  }
  return { number, programId, execute: (command) => execute(command), read: (isOfItself) => read(isOfItself), takeOver }
}
