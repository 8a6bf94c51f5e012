/**
 * Sends the mails of campaigns, on one node at a time, a few a second (contract/engagement.md *Mails of campaigns*).
 *
 * Invariant: a mail is handed to the mail server at most once. It is begun in a transaction of its own before; what was begun and
 * has no outcome is never begun again, unless the mail server said that it did not take it, or nothing was sent to it. Whether the
 * guest still agrees is asked after that, just before it is sent. Codes and invitations come first.
 */
import { Cause, Effect, Metric } from "effect"
import type { Transporter } from "nodemailer"
import { WorkPool } from "../../base/database/Pools.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { defaultMailDays } from "../../contract/platform/CampaignMail.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Letter } from "../mail/Letter.ts"
import { CurrentMail } from "../mail/Mail.ts"
import { logoOf } from "../mail/MailLogo.ts"
import * as Transport from "../mail/Transport.ts"
import { CurrentSite } from "../staff/Site.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./MailingStore.ts"
import * as News from "./News.ts"
import * as Unsubscribing from "./Unsubscribing.ts"

const waiting = Metric.gauge("lotbook_campaign_mails_waiting", {
  description: "Mails of campaigns that wait to be sent"
})

const partsOf = Effect.gen(function* () {
  return {
    claimKey: (yield* Journal).claimKey,
    mail: yield* CurrentMail,
    freeze: yield* WriteFreeze,
    now: (yield* serviceTime).now,
    programs: yield* Programs,
    query: (yield* WorkPool).query,
    site: yield* CurrentSite
  }
})
type Parts = Effect.Success<typeof partsOf>

interface Ready {
  readonly to: string
  readonly letter: Letter
}

/** The mail as it is sent now, or why it is not: the guest's consent, address and language may have changed since it was claimed. */
const ready = Effect.fnUntraced(function* ({ claimKey, now, programs, query, site }: Parts, taken: Store.Taken) {
  const facts = yield* Store.facts(query, taken)
  if (facts === undefined) return "merged" as const
  const { claimedAt, email, language, mail, program: id, refusal } = facts
  const program = programs.get(id)
  const page = program?.file.guest_page
  if (refusal !== undefined || email === undefined) return refusal ?? "no_email"
  if (mail === undefined) return "no_mail" as const
  if (page === undefined || program?.isRetired === true || program?.isRehearsal === true) return "no_page" as const
  if (claimedAt <= now() - (mail.days ?? defaultMailDays) * dayMs) return "late" as const
  const pageUrl = `${site.url}/my/${id}`
  const unsubscribeUrl = `${pageUrl}/unsubscribe/${Unsubscribing.tokenOf(claimKey, taken)}`
  return {
    to: email,
    letter: News.letterOf(mail, { language, page, pageUrl, program_id: id, unsubscribeUrl })
  } satisfies Ready
})

/** Notes a fault. Only what was surely not sent is tried again. */
const failed = Effect.fnUntraced(function* (
  { now, query }: Parts,
  taken: Store.Taken,
  id: string,
  { isFinal, isInDoubt, of, reason }: Transport.Fault
) {
  const facts = { kind: "campaign", mail_id: id, reason }
  if (isFinal || isInDoubt) {
    yield* Store.finish(query, taken, "failed", isInDoubt ? "in_doubt" : "refused", now())
    yield* Metric.update(Transport.mailsTotal("campaign", "refused"), 1)
    const log = Effect.logWarning(`A campaign's mail is given up (${id}): ${reason}`)
    return yield* LogEvent.of("mail_refused", facts)(log)
  }
  // A server that is there again takes all of them.
  const times = of === "server" ? 1 : 2 ** Math.min(20, taken.attempts - 1)
  yield* Store.later(query, taken, now() + Math.min(Bounds.longestRetryMs, Bounds.retryMs * times))
  const log = Effect.logWarning(`The mail server does not take a campaign's mail yet (${id}): ${reason}`)
  return yield* LogEvent.of("mail_failing", facts)(log)
})

/** Sends one mail that was begun. The result tells whether the mail server is there. */
const sendOne = Effect.fnUntraced(function* (parts: Parts, from: string, opened: Transporter, taken: Store.Taken) {
  const { claimKey, now, query } = parts
  const found = yield* ready(parts, taken)
  if (typeof found === "string") {
    const isLate = found === "late"
    yield* Store.finish(query, taken, isLate ? "failed" : "skipped", found, now())
    if (isLate) yield* Metric.update(Transport.mailsTotal("campaign", "late"), 1)
    return true
  }
  const id = claimKey("campaign mail", taken.campaign, String(taken.account))
  const logo = yield* logoOf(query, found.letter.look)
  const sent = yield* Effect.result(Transport.send(opened, from, { id, ...found, logo }))
  if (sent._tag === "Failure") {
    yield* failed(parts, taken, id, sent.failure)
    return sent.failure.of === "mail"
  }
  yield* Store.finish(query, taken, "sent", null, now())
  yield* Metric.update(Transport.mailsTotal("campaign", "sent"), 1)
  return true
})

const rehearse = Effect.fnUntraced(function* ({ now, query }: Parts) {
  const mails = yield* Store.rehearse(query, now())
  if (mails === 0) return "idle" as const
  const log = Effect.logInfo(`A sandbox sends no mail: ${mails} of campaigns would be on their way`)
  yield* LogEvent.of("campaign_mails_rehearsed", { mails })(log)
  return "worked" as const
})

const batchOf = Effect.fnUntraced(function* (parts: Parts) {
  const { freeze, mail, now, query, site } = parts
  if (!freeze.mayWrite()) return "waits" as const
  if (site.isSandbox) return yield* rehearse(parts)
  const { late } = yield* Store.endOld(query, now())
  if (late > 0) yield* Metric.update(Transport.mailsTotal("campaign", "late"), late)
  if (mail === undefined || (yield* Store.hasUrgent(query))) return "idle" as const
  const opened = yield* Transport.open(mail, Bounds.connections)
  // One by one: what a kill leaves begun is one mail.
  for (let sent = 0; sent < Bounds.batchMails; sent++) {
    const taken = yield* Store.take(query, now())
    if (taken === undefined) return sent === 0 ? ("idle" as const) : ("worked" as const)
    if (!(yield* sendOne(parts, mail.from, opened, taken))) return "waits" as const
  }
  return "worked" as const
}, Effect.scoped)

/** Batches of mails, and a measurement of what waits. */
export const make = Effect.map(partsOf, (parts) => ({
  batch: batchOf(parts),
  measure: Effect.flatMap(Store.waiting(parts.query), (n) => Metric.update(waiting, n))
}))

/** Sends until the scope closes, on one node at a time. */
export const layerWorker = Effect.gen(function* () {
  for (const outcome of Transport.outcomes) yield* Series.begin(Transport.mailsTotal("campaign", outcome))
  yield* Series.begin(waiting)
  const { batch, measure } = yield* make
  const { whileMine } = yield* Partitions
  const keep = Pace.keep({
    name: "Mails of campaigns",
    batch,
    idle: Effect.sleep(Bounds.idleMs),
    pauseMs: Bounds.batchPauseMs,
    busyPauseMs: (tookMs) => tookMs,
    troubleMs: Bounds.troubleMs
  })
  const measured = measure.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logDebug("Waiting mails could not be counted", cause)
    ),
    Effect.andThen(Effect.sleep(Bounds.measureMs)),
    Effect.forever
  )
  // Another node measures from then on.
  const work = Effect.ensuring(Effect.raceFirst(keep, measured), Metric.update(waiting, 0))
  yield* Effect.forkScoped(whileMine(singletons.campaigns, work))
})
