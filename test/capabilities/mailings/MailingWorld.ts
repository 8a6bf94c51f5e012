/** Campaigns that mail, beside a mail server of the suite, and guests who have agreed to mail or not. */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import { CurrentMail } from "../../../src/capabilities/mail/Mail.ts"
import * as Mailings from "../../../src/capabilities/mailings/Mailings.ts"
import * as Unsubscribing from "../../../src/capabilities/mailings/Unsubscribing.ts"
import * as Profiles from "../../../src/capabilities/members/Profiles.ts"
import type { CampaignMail } from "../../../src/contract/platform/CampaignMail.ts"
import type { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { operator } from "../../Operator.ts"
import * as World from "../campaigns/CampaignWorld.ts"
import * as MailServer from "../mail/MailServer.ts"

export const program = Testing.demoProgram
export const mail: CampaignMail = { subject: "A bowl for you", text: "Come and get it.\n\nUntil Sunday." }
export const agreed = [{ purpose: "marketing", channel: "email" as const, granted: true }]

const { text } = PgTypes

export const profile = Effect.fnUntraced(function* (member_id: string, facts: object) {
  const profiles = yield* Profiles.make((yield* PeoplePool).query)
  yield* profiles
    .upsert(program, { member_id, ...facts }, { via: "platform", actor: "test" })
    .pipe(Effect.provideService(CurrentCaller, operator))
})

/** Notes that the guest has entered a code of this address, as the page does. */
export const confirmed = (member_id: string, email = `${member_id}@example.com`) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    query(
      `INSERT INTO confirmed_addresses (account, address)
        SELECT number, address_hash($2) FROM accounts WHERE member_id = $1`,
      [text(member_id), text(email)]
    )
  )

/** A guest who gets mails of campaigns. */
export const reachable = Effect.fnUntraced(function* (member_id: string) {
  yield* profile(member_id, { email: `${member_id}@example.com`, consent: agreed })
  yield* confirmed(member_id)
})

/** An active campaign with a mail, for an audience of its own, all of whom would get it. */
export const mailing = Effect.fnUntraced(function* (id: string, members: number, more: Partial<CampaignFacts> = {}) {
  const { campaigns, names } = yield* World.active(id, members, { mail, ...more })
  yield* Effect.forEach(names, reachable)
  return { campaigns, names }
})

export const mailed = (campaign_id: string) =>
  Effect.flatMap(Campaigns.make, (campaigns) => Effect.map(campaigns.report(campaign_id), (report) => report.mailed))

/** Runs a test beside a mail server, with what sends the mails of campaigns. */
export const withServer = <A, E, R>(
  work: (server: MailServer.MailServer, sender: Effect.Success<typeof Mailings.make>) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* MailServer.make
      return yield* Effect.gen(function* () {
        return yield* work(server, yield* Mailings.make)
      }).pipe(Effect.provideService(CurrentMail, server.options))
    })
  )

/** The addresses that got a mail, sorted. */
export const got = ({ received }: MailServer.MailServer): ReadonlyArray<string> =>
  received.flatMap(({ to }) => to).sort()

/** The token of the link in a mail. */
export const tokenIn = (raw: string): string =>
  /\/unsubscribe\/([\w-]+)/.exec(raw.replaceAll(/\r?\n\s*/g, ""))?.[1] ?? ""

export const unsubscribe = (token: string, programId = program.id) =>
  Effect.flatMap(Unsubscribing.make, (end) => end({ program: programId, token, requestId: undefined }))
