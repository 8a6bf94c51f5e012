/** People who work with the console: inviting them and changing what they may (contract/people.md *Roles*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { askedLimits, changedLimits } from "../AskedLimits.ts"
import { problems } from "../Description.ts"
import { Language } from "../Languages.ts"
import { Email } from "../platform/Members.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { toldLimits } from "../RestaurantLimits.ts"
import { roles } from "../Roles.ts"
import { told } from "../Said.ts"
import { bounded, FilledReason, field, Identifier, optional, Text, Timestamp, whole } from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"
import { GivingLimits } from "./GivingLimits.ts"

export const staffPath = `${adminPath}/staff` as const

export const Role = Schema.Literals(roles)

/** A name that records and the audit show, so it must be printable. */
export const PrintableName = bounded(1, 128).check(
  // Without a pattern in the description: readers of it that know no classes of Unicode take the class for letters.
  Schema.makeFilter(
    (text) =>
      /^(?! )[^\p{C}]+(?<! )$/u.test(text) ||
      "must be 1 to 128 printable characters, and neither begin nor end with a blank"
  )
)

/** A person's name. Records show it as that of the admin key or of the service itself, which nobody may pass for. */
const PersonName = PrintableName.check(
  // Without a pattern either: a description has no flag for letters of both cases.
  Schema.makeFilter(
    (text) =>
      /^(?!(?:root|system|sandbox|environment|provider|command of .*)$)/iu.test(text) ||
      "must not be a name that the service uses for itself"
  )
)

const Programs = Schema.Array(Identifier).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  Schema.isMaxLength(100, { message: told`must have at most ${100} items` }),
  Schema.isUnique({ message: "must not repeat an item" })
)

export const Passkey = Schema.Struct({
  passkey_id: field(Identifier, "The passkey's id. It is not secret."),
  name: field(Text, "The name that its owner gave it."),
  created_at: field(Timestamp, "When it was made."),
  last_used_at: optional(Timestamp, "When it signed in last; absent: never.")
}).annotate({ identifier: "Passkey" })

const described = {
  user_id: field(Identifier, "The user's id."),
  email: field(
    Text,
    "The e-mail address, unique without regard to case. Invitations are mailed to it where the service has a mail server."
  ),
  name: field(Text, "The user's name. Records and the audit log show it."),
  role: field(Role, "What the user may do."),
  programs: optional(Schema.Array(Identifier), "The programmes that the user is limited to; absent: all."),
  ...toldLimits,
  status: field(
    Schema.Literals(["invited", "active", "disabled"]),
    "`invited`: has made no passkey yet. `disabled`: cannot sign in."
  ),
  passkeys: field(Schema.Array(Passkey), "The passkeys, oldest first."),
  created_at: field(Timestamp, "When the user was invited first."),
  created_by: field(Text, "The name of who invited the user."),
  invitation_ends_at: optional(
    Timestamp,
    "When the invitation ends that the user has not used; in the past: it has ended. Absent: there is none."
  ),
  of_provider: optional(
    Schema.Literal(true),
    "The company's provider signs the user in, and tells the role; absent: the user has passkeys here."
  ),
  role_gone_at: optional(
    Timestamp,
    "When the company's provider told that it gives the user no role any more: the user cannot sign in until it does. Absent: it gives one, or the user has passkeys."
  ),
  last_seen_at: optional(Timestamp, "When the user did something last, to within about ten seconds; absent: never."),
  limits: optional(GivingLimits, "Limits of this person below the role's; absent: the role's alone."),
  language: optional(
    Language,
    "The language of the person's console and mails; absent: nobody has chosen one, and the browser's languages decide."
  )
}

export const User = Schema.Struct(described).annotate({ identifier: "User" })

export const Invited = Schema.Struct({
  user: field(User, "The user who is invited."),
  invitation_url: optional(
    Schema.String,
    "The page on which the user makes a passkey: for 7 days, once. It is shown only here, because only its hash is stored; send it to the user."
  ),
  mailed: optional(
    Schema.Literal(true),
    "The address goes to the user by e-mail, too. Absent: the service has no mail server, or too many mails wait; send it yourself."
  ),
  secret_withheld: optional(
    Schema.Literal(true),
    "Only in a replay: the first answer with this `Idempotency-Key` had the address. If it was lost, invite the user again with a new key."
  )
}).annotate({ identifier: "Invited" })

export const Invitation = Schema.Struct({
  email: field(
    Email,
    "The e-mail address. It names the user; the invitation is mailed to it where the service has a mail server."
  ),
  name: field(PersonName, "The user's name, for records and the audit log."),
  role: field(Role, "What the user may do: not more than who invites."),
  programs: optional(Programs, "The programmes that the user is limited to; absent: all."),
  ...askedLimits,
  language: optional(
    Language,
    "The language of the mail with the invitation. The page follows the browser, and the user's console and later mails that page; absent: English mails."
  )
}).annotate({ identifier: "StaffInvitation" })

export const RoleChange = Schema.Struct({
  role: field(Role, "What the user may do from now on: not more than who changes it."),
  programs: optional(Programs, "The programmes that the user is limited to from now on; absent: all."),
  ...changedLimits,
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data.")
}).annotate({ identifier: "RoleChange" })

export const Because = Schema.Struct({
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data.")
}).annotate({ identifier: "StaffReason" })

export const EndedSessions = Schema.Struct({
  ended: field(whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number"), "How many sessions ended.")
}).annotate({ identifier: "EndedSessions" })

const UserList = Schema.Struct({
  users: field(Schema.Array(User), "All users, oldest first.")
}).annotate({ identifier: "UserList" })

const params = { user_id: described.user_id }
const namedProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "invalid_state"]
const inviteProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "conflict", "invalid_state"]

/** A user as the examples show one. */
export const exampleUser = {
  user_id: "usr_7Q2MXK4T0ZB9HD3W",
  email: "maria@example.com",
  name: "Maria Rossi",
  role: "support" as const,
  status: "active" as const,
  passkeys: [{ passkey_id: "pk_4T0ZB9HD3W7Q2MXK", name: "Till at West", created_at: "2026-07-14T10:06:00.000Z" }],
  created_at: "2026-07-14T10:05:00.000Z",
  created_by: "root"
}

const invitation_ends_at = "2026-07-21T10:05:00.000Z"
const invitation_url = "http://localhost:3210/console/invitation#inv_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"
const ines = { email: "ines@example.com", name: "Ines Weber", role: "support" as const }
const invited = {
  user: {
    user_id: exampleUser.user_id,
    ...ines,
    status: "invited" as const,
    passkeys: [],
    created_at: exampleUser.created_at,
    created_by: "root",
    invitation_ends_at
  },
  invitation_url
}
const manager = { ...exampleUser, role: "manager" as const }
const because = { params: { user_id: exampleUser.user_id }, request: { reason: "Left the company" } }

const isServed = { isForUnlimited: true, isServedFrozen: true }

export class Staff extends HttpApiGroup.make("staff")
  .add(
    HttpApiEndpoint.get("listStaff", staffPath, { success: UserList, error: problems(readProblems) }).annotateMerge(
      annotated(
        "staff.list",
        "List the people",
        "A caller that is limited to programmes only sees users that are limited to some of these. ",
        readProblems,
        { response: { users: [exampleUser] } },
        true
      )
    ),
    HttpApiEndpoint.post("inviteUser", staffPath, {
      payload: Invitation,
      success: Invited.pipe(HttpApiSchema.status(201)),
      error: problems(inviteProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff.invite",
          "Invite a person",
          "The answer has the address of the page on which the person makes a passkey. Only the first answer has it. ",
          inviteProblems,
          { request: ines, response: invited }
        )
      ),
    HttpApiEndpoint.post("inviteUserAgain", `${staffPath}/:user_id/invite`, {
      params,
      success: Invited,
      error: problems(namedProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff.invite_again",
          "Invite a user again",
          "For somebody who lost the invitation or every device. An earlier invitation ends; passkeys stay. ",
          namedProblems,
          {
            params: { user_id: exampleUser.user_id },
            response: { user: { ...exampleUser, invitation_ends_at }, invitation_url }
          }
        )
      ),
    HttpApiEndpoint.post("changeUserRole", `${staffPath}/:user_id/role`, {
      params,
      payload: RoleChange,
      success: User,
      error: problems(namedProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff.role",
          "Change what a user may do",
          "The user's sessions end within a second. Limits to restaurants stay unless they are named. At least one active owner remains: `invalid_state`. ",
          namedProblems,
          {
            params: { user_id: exampleUser.user_id },
            request: { role: "manager", reason: "Runs West now" },
            response: { ...manager, invitation_ends_at }
          }
        )
      ),
    HttpApiEndpoint.post("disableUser", `${staffPath}/:user_id/disable`, {
      params,
      payload: Because,
      success: User,
      error: problems(namedProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff.disable",
          "Disable a user",
          "Sessions end within a second, and an open invitation ends. At least one active owner remains: `invalid_state`. ",
          namedProblems,
          { ...because, response: { ...manager, status: "disabled" as const } }
        )
      ),
    HttpApiEndpoint.post("enableUser", `${staffPath}/:user_id/enable`, {
      params,
      payload: Because,
      success: User,
      error: problems(namedProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("staff.enable", "Enable a user", "The passkeys work again. ", namedProblems, {
          params: because.params,
          request: { reason: "Is back" },
          response: manager
        })
      ),
    HttpApiEndpoint.post("removeUserPasskeys", `${staffPath}/:user_id/passkeys/remove`, {
      params,
      payload: Because,
      success: User,
      error: problems(namedProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff.remove_passkeys",
          "Remove a user's passkeys",
          "For devices that are in other hands. Sessions end within a second, and the user is `invited` until a new invitation " +
            "makes a passkey. At least one active owner remains: `invalid_state`. ",
          namedProblems,
          {
            ...because,
            request: { reason: "A phone was stolen" },
            response: { ...manager, status: "invited" as const, passkeys: [] }
          }
        )
      ),
    HttpApiEndpoint.post("endUserSessions", `${staffPath}/:user_id/sessions/end`, {
      params,
      payload: Because,
      success: EndedSessions,
      error: problems(namedProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("staff.end_sessions", "End a user's sessions", "They end within a second. ", namedProblems, {
          ...because,
          request: { reason: "A tablet was lost" },
          response: { ended: 0 }
        })
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Staff", description: "People of the console, and their roles." })) {}
