/**
 * People hand over work that they may not put in force (contract/people.md *Handing over*).
 *
 * Invariant: putting it in force and the row that says so commit together, so that it happens once.
 */

import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { hash } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Approval, HandedOver, Handover, NewHandover } from "../../contract/admin/Handovers.ts"
import { handedKinds } from "../../contract/admin/Handovers.ts"
import { Refused } from "../../contract/Refused.ts"
import { detailOf, said } from "../../contract/Said.ts"
import { allows, askedFor, mayGive } from "../../contract/Scopes.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { present } from "../../core/protocol/Render.ts"
import { isSame } from "../../core/rules/Changes.ts"
import { CurrentCaller, mayUse, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { Keys } from "../../desk/access/Keys.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { nextOccurrence } from "../campaigns/CampaignRuns.ts"
import * as CampaignStore from "../campaigns/CampaignStore.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import * as PendingAudiences from "../campaigns/PendingAudiences.ts"
import * as ManagedPrograms from "../programs/ManagedPrograms.ts"
import * as Pinned from "../segments/Pinned.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./HandoverStore.ts"

const needed = Effect.all({
  audiences: PendingAudiences.make,
  campaigns: Campaigns.make,
  keys: Keys,
  managed: ManagedPrograms.make("api"),
  pool: PeoplePool,
  programs: Programs,
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

type Kind = Store.Row["kind"]

/** Why it is not possible now. */
type Why = Pick<Refused, "detail" | "template">

/** Work as it is now. */
interface Now {
  /** The programme that it belongs to; undefined: the campaign is gone. */
  readonly program?: string
  readonly name?: string
  /** Names the work as it is. Undefined: it cannot be put in force. */
  readonly look?: string
  /** As `look`, but for the programme's version, which is none of a campaign's. Absent: `look`. */
  readonly made?: string
  /** Names the audience of a campaign as it is. */
  readonly seen?: string
  /** The version of the campaign, or that in force of the programme. */
  readonly version?: number
  readonly isDone?: boolean
  readonly refused?: Why
}

const refuseFor = ({ refused = { detail: "" } }: Now) => Effect.fail(new Refused({ code: "invalid_state", ...refused }))

const gone: Now = { refused: { detail: "The campaign was deleted." } }

const lookOf = (...facts: ReadonlyArray<unknown>): string => hash("sha256", JSON.stringify(facts), "hex").slice(0, 32)

const over: Why = { detail: "The campaign would never run: its end or its schedule is over. Change it first." }

/** True if a campaign has ended, or no time of its schedule is left. */
const isOver = (campaign: CampaignStore.StoredCampaign, now: number): boolean =>
  (campaign.endsAt ?? Infinity) <= now || (campaign.repeat !== undefined && nextOccurrence(campaign, now) === undefined)

const campaignNow = Effect.fnUntraced(function* (
  { pool: { query }, programs, time }: Parts,
  { campaign_id, type }: Extract<HandedOver, { readonly campaign_id: string }>
) {
  const found = yield* CampaignStore.find(query, campaign_id)
  const program = found && programs.get(found.program)
  if (found === undefined || program === undefined) return gone
  const { name, segment, status, version } = found
  const known = { name, program: program.id, version }
  if (status === "archived") return { ...known, refused: { detail: "The campaign is archived." } }
  if (type === "campaign" && status !== "active" && isOver(found, time.now())) return { ...known, refused: over }
  const aimed = segment === undefined ? undefined : { id: campaign_id, segment }
  const seen = aimed === undefined ? {} : { seen: yield* Pinned.seen(query, program, aimed) }
  const defined = aimed === undefined ? undefined : yield* Pinned.defined(query, program, aimed)
  const isDone = type === "campaign" ? status === "active" : (yield* Pinned.pendingOf(query, campaign_id)).length === 0
  return { ...known, ...seen, look: lookOf(version, seen.seen), made: lookOf(version, defined), isDone }
})

const programNow = Effect.fnUntraced(function* (
  { programs }: Parts,
  { program, version: changed }: Extract<HandedOver, { readonly type: "program" }>
) {
  const next = yield* ManagedPrograms.programOf(program)
  const inForce = programs.get(next.id)
  if (inForce === undefined) return yield* refuse("not_found", said`There is no programme ${next.id}.`)
  const { file, id, isRetired, version } = inForce
  const known = { program: id, version }
  if (isSame(file, next.file)) return { ...known, isDone: true }
  if (isRetired) return { ...known, refused: detailOf(said`Programme ${id} was retired.`) }
  if (version !== changed)
    return {
      ...known,
      refused: detailOf(said`Version ${version} is in force since. Carry the change over to it first.`)
    }
  return { ...known, look: lookOf(version) }
})

const seenNow = (parts: Parts, work: HandedOver): Effect.Effect<Now, Refused> =>
  work.type === "program" ? programNow(parts, work) : campaignNow(parts, work)

/** Whether who handed it over may sign in and prepare such work still. */
const mayStillHand = ({ keys }: Parts, { program_id, user_id }: Store.Row): boolean => {
  const author = keys.user(user_id)
  const asked = askedFor("handOver")
  return author !== undefined && asked !== undefined && allows(author.scopes, asked) && mayUse(author, program_id)
}

/** Handed over work as it is now: nobody puts in force what its author may not prepare any more. */
const rowNow = Effect.fnUntraced(function* (parts: Parts, row: Store.Row): Effect.fn.Return<Now, Refused> {
  const now = yield* seenNow(parts, Store.workOf(row))
  if (now.isDone === true || mayStillHand(parts, row)) return now
  const { look: _, ...rest } = now
  return { ...rest, refused: detailOf(said`${row.handed_by} may not prepare this any more. Send it back.`) }
})

/** Whether a caller may put work of this kind in force. */
const mayPut = ({ scopes }: RequestCaller, kind: Kind): boolean => {
  const asked = askedFor(kind === "program" ? "publishProgram" : "setCampaignStatus")
  return asked !== undefined && allows(scopes, asked) && (kind === "program" || mayGive(scopes, "platform"))
}

const statusOf = ({ ends_at, status }: Store.Row, at: number, now?: Now): Handover["status"] => {
  if (status !== "open") return status
  if (now?.isDone === true) return "done"
  return ends_at <= at ? "over" : "open"
}

const shown = (row: Store.Row, { keyId }: RequestCaller, at: number, now?: Now): Handover => {
  const { decided_at, ends_at, handed_at, look: before, user_id, what: _, ...facts } = row
  const work = Store.workOf(row)
  const status = statusOf(row, at, now)
  const look = status === "open" ? now?.look : undefined
  return present<Handover>({
    ...facts,
    campaign_id: work.type === "program" ? undefined : work.campaign_id,
    campaign_name: now?.name,
    version: work.type === "program" ? work.version : undefined,
    handed_at: fromMillis(handed_at),
    ends_at: fromMillis(ends_at),
    is_own: user_id === keyId,
    status,
    look,
    has_changed: look === undefined || (now?.made ?? look) === before ? undefined : true,
    refused: status === "open" ? now?.refused?.detail : undefined,
    refused_template: status === "open" ? now?.refused?.template : undefined,
    decided_at: decided_at === undefined ? undefined : fromMillis(decided_at)
  })
}

/** The row as it is now. Work that cannot be read is told as refused. */
const shownNow = Effect.fnUntraced(function* (parts: Parts, row: Store.Row, caller: RequestCaller, at: number) {
  const found = yield* Effect.result(rowNow(parts, row))
  return shown(row, caller, at, Result.isSuccess(found) ? found.success : { refused: found.failure })
})

const list = Effect.fnUntraced(function* (parts: Parts, program_id: string | undefined) {
  const { pool, programs } = parts
  const caller = yield* CurrentCaller
  const visible =
    program_id === undefined
      ? Visible.programsOf(programs, caller)
      : [yield* Visible.named(programs, caller, program_id)]
  const at = yield* machineNow
  const found = yield* Store.list(pool.query, {
    programs: visible.map(({ id }) => id),
    user: caller.keyId,
    kinds: handedKinds.filter((kind) => mayPut(caller, kind)),
    now: at
  })
  const all = yield* Effect.forEach(found, (row) => shownNow(parts, row, caller, at))
  // Another's that came in force in another way needs nobody.
  return all.filter(({ is_own, status }) => is_own || status === "open")
})

/** A handover that the caller may see: an own one, or one that the caller may put in force. */
const visible = Effect.fnUntraced(function* ({ programs }: Parts, row: Store.Row | undefined, id: string) {
  const caller = yield* CurrentCaller
  if (row === undefined || (row.user_id !== caller.keyId && !mayPut(caller, row.kind)))
    return yield* refuse("not_found", said`There is no handover ${id}.`)
  yield* Visible.named(programs, caller, row.program_id)
  return row
})

const show = Effect.fnUntraced(function* (parts: Parts, id: string) {
  const row = yield* visible(parts, yield* Store.find(parts.pool.query, id), id)
  const work = Store.workOf(row)
  const told = yield* shownNow(parts, row, yield* CurrentCaller, yield* machineNow)
  return work.type === "program" ? { ...told, program: work.program } : told
})

const entryOf = (action: string, row: Store.Row, reason: string) => {
  const work = Store.workOf(row)
  const named =
    work.type === "program"
      ? { subject: { type: "program", id: row.program_id }, about: { version: work.version } }
      : { subject: { type: "campaign", id: work.campaign_id }, about: { campaign_id: work.campaign_id } }
  const { handed_by, handover_id, kind } = row
  return {
    action,
    subject: named.subject,
    programId: row.program_id,
    changes: Audit.changesOf(undefined, { handover_id, handed_by, kind, ...named.about }),
    reason
  }
}

const handOver = Effect.fnUntraced(function* (
  parts: Parts,
  { reason, what }: NewHandover
): Effect.fn.Return<Handover, Refused, CurrentCaller> {
  const { query, transaction } = parts.pool
  const caller = yield* CurrentCaller
  if (caller.kind !== "user") return yield* refuse("forbidden", "Only people hand work over.")
  const now = yield* seenNow(parts, what)
  if (now.program === undefined)
    return yield* refuse("not_found", said`There is no campaign ${what.type === "program" ? "" : what.campaign_id}.`)
  yield* Visible.named(parts.programs, caller, now.program)
  if (now.isDone === true) return yield* refuse("conflict", "It is in force already.")
  if (now.look === undefined) return yield* refuseFor(now)
  const at = yield* machineNow
  const row = {
    handover_id: Codes.identifier("hov"),
    program_id: now.program,
    kind: what.type,
    what: JSON.stringify(what),
    ...{ reason, look: now.made ?? now.look, user_id: caller.keyId, handed_by: caller.name },
    handed_at: at,
    ends_at: at + Bounds.openMs
  }
  return yield* transaction(
    Effect.gen(function* () {
      yield* Store.removeOld(query, at)
      yield* Store.removeSame(query, row)
      if ((yield* Store.countOpen(query, caller.keyId, at)) >= Bounds.mostOpen)
        return yield* refuse(
          "invalid_state",
          said`You have handed over ${Bounds.mostOpen} already. Wait for answers first.`
        )
      const made = yield* Store.insert(query, row)
      yield* Audit.tell(query, entryOf("handover.make", made, reason))
      return shown(made, caller, at, now)
    })
  )
})

/** Locks a handover that is open, for who may decide it. */
const locked = Effect.fnUntraced(function* (parts: Parts, id: string, at: number) {
  const row = yield* visible(parts, yield* Store.lock(parts.pool.query, id), id)
  const by = row.decided_by ?? ""
  if (row.status === "done") return yield* refuse("conflict", said`It was put in force by ${by}.`)
  if (row.status === "declined") return yield* refuse("conflict", said`It was declined by ${by}.`)
  if (row.ends_at <= at)
    return yield* refuse("conflict", "Nobody decided within 14 days. Who handed it over can hand it over again.")
  return row
})

const put = (
  { audiences, campaigns, managed }: Parts,
  work: HandedOver,
  { seen = "", version }: Now,
  asked: Approval,
  reason: string
): Effect.Effect<unknown, Refused, CurrentCaller> => {
  if (work.type === "audience") return audiences.confirm({ campaign_id: work.campaign_id, seen })
  if (work.type === "campaign")
    return campaigns.setStatus({
      campaign_id: work.campaign_id,
      status: "active",
      ...(version === undefined ? undefined : { expected_version: version }),
      ...(seen === "" ? undefined : { seen })
    })
  const { confirm_rewards } = asked
  return managed.publish({
    program: work.program,
    expected_version: work.version,
    note: reason,
    ...(confirm_rewards === undefined ? undefined : { confirm_rewards })
  })
}

/** Publishes a definition in the place of the handed over one, such as one carried over to the version in force. */
const putCarried = Effect.fnUntraced(function* (
  { managed }: Parts,
  { program_id, reason }: Store.Row,
  version: number,
  { confirm_rewards, expected_version = version, note = reason }: Approval,
  program: Exclude<Approval["program"], undefined>
) {
  const { id } = yield* ManagedPrograms.programOf(program)
  if (id !== program_id)
    return yield* refuseFaults([{ path: "/program/program_id", ...said`must be ${program_id}, the programme's` }])
  return yield* managed.publish({
    ...{ program, expected_version, note },
    ...(confirm_rewards === undefined ? undefined : { confirm_rewards })
  })
})

/** Puts it in force as it is now, if it is as the caller has looked at it. */
const putSeen = Effect.fnUntraced(function* (parts: Parts, row: Store.Row, work: HandedOver, asked: Approval) {
  const now = yield* rowNow(parts, row)
  if (now.isDone === true) return yield* refuse("conflict", "It is in force already.")
  if (now.look === undefined) return yield* refuseFor(now)
  if (now.look !== asked.look) return yield* refuse("conflict", "It has changed since. Look again at what it would do.")
  yield* put(parts, work, now, asked, row.reason)
  return now
})

/** Puts it in force as it is, or what is published in its place: an approval names one of both. */
const putAsked = Effect.fnUntraced(function* (parts: Parts, row: Store.Row, work: HandedOver, asked: Approval) {
  const { look, program } = asked
  if (program === undefined) {
    if (look === undefined) return yield* refuseFaults([{ path: "/look", message: "is required without program" }])
    return yield* putSeen(parts, row, work, asked)
  }
  if (work.type !== "program")
    return yield* refuseFaults([{ path: "/program", message: "is allowed only for a programme" }])
  yield* putCarried(parts, row, work.version, asked, program)
  return undefined
})

const decider = Effect.gen(function* () {
  const { keyId, name } = yield* CurrentCaller
  return { user: keyId, name, at: yield* machineNow }
})

const approve = Effect.fnUntraced(function* (parts: Parts, id: string, asked: Approval) {
  const { query, transaction } = parts.pool
  const caller = yield* CurrentCaller
  const by = yield* decider
  return yield* transaction(
    Effect.gen(function* () {
      const row = yield* locked(parts, id, by.at)
      if (!mayPut(caller, row.kind)) return yield* refuse("forbidden", "You may not put this in force yourself.")
      const work = Store.workOf(row)
      const now = yield* putAsked(parts, row, work, asked)
      const done = yield* Store.decide(query, id, "done", by)
      yield* Audit.tell(query, entryOf("handover.approve", done, done.reason))
      return shown(done, caller, by.at, now)
    })
  )
})

const decline = Effect.fnUntraced(function* (parts: Parts, id: string, note: string) {
  const { query, transaction } = parts.pool
  const caller = yield* CurrentCaller
  const by = yield* decider
  return yield* transaction(
    Effect.gen(function* () {
      yield* locked(parts, id, by.at)
      const row = yield* Store.decide(query, id, "declined", by, note)
      yield* Audit.tell(query, entryOf("handover.decline", row, note))
      return shown(row, caller, by.at)
    })
  )
})

export const layer = HttpApiBuilder.group(AdminApi, "handovers", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("listHandovers", ({ query }) => Effect.map(list(parts, query.program_id), (handovers) => ({ handovers })))
      .handle("showHandover", ({ params }) => show(parts, params.handover_id))
      .handle("handOver", ({ payload }) => handOver(parts, payload))
      .handle("approveHandover", ({ params, payload }) => approve(parts, params.handover_id, payload))
      .handle("declineHandover", ({ params, payload }) => decline(parts, params.handover_id, payload.note))
  )
)
