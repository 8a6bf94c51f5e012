/** Mails to people who work with the console. */
import { Effect } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import type { Invited } from "../../contract/admin/Staff.ts"
import type { Role } from "../../contract/Roles.ts"
import { toMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { businessName } from "../../desk/surface/BusinessName.ts"
import type { Letter } from "../mail/Letter.ts"
import * as Mail from "../mail/Mail.ts"

interface Invitation {
  readonly name: string
  readonly role: Role
  readonly url: string
  /** When it ends. */
  readonly until: string
  /** The name of who invites. */
  readonly by: string
  /** The name of the business, if it has one. */
  readonly business: string | undefined
}

const invitation = ({ business, by, name, role, until, url }: Invitation): Letter => ({
  subject: `Your invitation to ${business ?? "Lotbook"}`,
  opening: [
    `Hello ${name},`,
    `${by} has invited you to the console of ${business ?? "Lotbook"}, as ${role}.`,
    "Open this page on the device that you will work with, and make a passkey there. There is no password: afterwards you sign in with your fingerprint, your face or your device's PIN."
  ],
  link: { label: "Accept the invitation", url },
  closing: [
    `It works once, until ${until.slice(0, 10)}, and only for you: please do not pass it on.`,
    "If you expected no invitation, you need do nothing."
  ],
  language: "en"
})

/** Mails an invitation in the transaction that makes it, where there is a mail server. */
export const mailed = <E, R>(inviting: Effect.Effect<typeof Invited.Type, E, R>) =>
  Effect.gen(function* () {
    if ((yield* Mail.CurrentMail) === undefined) return yield* inviting
    const { query, transaction } = yield* PeoplePool
    const { claimKey } = yield* Journal
    const caller = yield* CurrentCaller
    return yield* transaction(
      Effect.gen(function* () {
        const invited = yield* inviting
        const { invitation_url: url, user } = invited
        const { email: to, invitation_ends_at: until, name, role } = user
        if (url === undefined || until === undefined) return invited
        const letter = invitation({ name, role, url, until, by: caller.name, business: yield* businessName(query) })
        const isPosted = yield* Mail.post(query, claimKey, { kind: "invitation", to, letter, until: toMillis(until) })
        return isPosted ? { ...invited, mailed: true as const } : invited
      })
    )
  })
