/** Mails to people who work with the console. */
import { Effect } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import type { Invited } from "../../contract/admin/Staff.ts"
import type { Language } from "../../contract/Languages.ts"
import type { Role } from "../../contract/Roles.ts"
import { toMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { businessLook } from "../../desk/surface/BusinessLook.ts"
import type { Letter, Look } from "../mail/Letter.ts"
import * as Mail from "../mail/Mail.ts"

interface Invitation {
  readonly name: string
  readonly role: Role
  readonly url: string
  /** The day on which it ends. */
  readonly until: string
  /** The name of who invites. */
  readonly by: string
  /** The name of the business, if it has one. */
  readonly business: string | undefined
  /** Its colour, if it has one. */
  readonly colour: string | undefined
}

const lookOf = ({ business = "Lotbook", colour }: Invitation): Look => ({
  name: business,
  ...(colour === undefined ? undefined : { colour })
})

const inEnglish = (invitation: Invitation): Letter => {
  const { business, by, name, role, until, url } = invitation
  return {
    subject: `Your invitation to ${business ?? "Lotbook"}`,
    opening: [
      `Hello ${name},`,
      `${by} has invited you to the console of ${business ?? "Lotbook"}, as ${role}.`,
      "Open this page on the device that you will work with, and make a passkey there. There is no password: afterwards you sign in with your fingerprint, your face or your device's PIN."
    ],
    link: { label: "Accept the invitation", url },
    closing: [
      `It works once, until ${until}, and only for you: please do not pass it on.`,
      "If you expected no invitation, you need do nothing."
    ],
    language: "en",
    look: lookOf(invitation)
  }
}

const germanRoles: Readonly<Record<Role, string>> = {
  owner: "Inhaber",
  manager: "Leitung",
  marketer: "Marketing",
  support: "Gästeservice",
  analyst: "Auswertung",
  developer: "Technik",
  finance: "Buchhaltung",
  franchisee: "Franchisenehmer"
}

const inGerman = (invitation: Invitation): Letter => {
  const { business, by, name, role, until, url } = invitation
  return {
    subject: `Ihre Einladung zu ${business ?? "Lotbook"}`,
    opening: [
      `Hallo ${name},`,
      `${by} hat Sie zur Konsole von ${business ?? "Lotbook"} eingeladen, mit der Rolle ${germanRoles[role]}.`,
      "Öffnen Sie diese Seite auf dem Gerät, mit dem Sie arbeiten werden, und erstellen Sie dort einen Passkey. Ein Passwort gibt es nicht: Danach melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an."
    ],
    link: { label: "Einladung annehmen", url },
    closing: [
      `Sie gilt einmal, bis ${until.split("-").toReversed().join(".")}, und nur für Sie: Bitte geben Sie sie nicht weiter.`,
      "Wenn Sie keine Einladung erwartet haben, brauchen Sie nichts zu tun."
    ],
    language: "de",
    look: lookOf(invitation)
  }
}

/** In the language that is chosen for the user. */
const invitations: Readonly<Record<Language, (invitation: Invitation) => Letter>> = { en: inEnglish, de: inGerman }

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
        const { email: to, invitation_ends_at: until, language = "en", name, role } = user
        if (url === undefined || until === undefined) return invited
        const facts = { name, role, url, until: until.slice(0, 10), by: caller.name }
        const { colour, name: business } = yield* businessLook(query)
        const letter = invitations[language]({ ...facts, business, colour })
        const isPosted = yield* Mail.post(query, claimKey, { kind: "invitation", to, letter, until: toMillis(until) })
        return isPosted ? { ...invited, mailed: true as const } : invited
      })
    )
  })
