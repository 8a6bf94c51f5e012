/** The changes of one person. Each has a key: an open dialog never turns into another change when the status comes. */
import { Alert, Group } from "@mantine/core"
import { UserLimitChange } from "../../contract/admin/Limits.ts"
import { Because, RoleChange } from "../../contract/admin/Staff.ts"
import { type GivenLimits, type LimitChanges, limitNames, limitsIn } from "../../contract/RestaurantLimits.ts"
import { scopesOf } from "../../contract/Roles.ts"
import { call, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { ReasonField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useSession } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"
import { ChangeLimits } from "./ChangeLimits.tsx"
import type { JustInvited } from "./InvitedDialog.tsx"
import { limitsClient } from "./limits.ts"
import { RestaurantLimitsInput } from "./RestaurantLimitsInput.tsx"
import { RoleInput } from "./RoleInput.tsx"
import { StaffPrograms } from "./StaffPrograms.tsx"
import type { Person } from "./staff.ts"
import { staffClient } from "./staff.ts"

const text = staffStrings.people

/** The limits that were changed in the form: one that was cleared is null, one that was left is absent, and stays as it is now. */
const changesOf = (before: GivenLimits, typed: LimitChanges) =>
  Object.fromEntries(
    limitNames.flatMap((name) =>
      JSON.stringify(typed[name]) === JSON.stringify(before[name]) ? [] : [[name, typed[name] ?? null]]
    )
  )

/** A list in any order as one text. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.toSorted().join() : String(value ?? ""))

const ChangeRole = ({ person }: { readonly person: Person }) => {
  const { name, programs = [], role, status, user_id } = person
  const limits: GivenLimits = limitsIn(person) ?? {}
  const now: Readonly<Record<string, unknown>> = { role, programs, ...limits }
  return (
    <FormDialog
      label={text.changeRole}
      name={text.of(text.changeRole, name)}
      schema={RoleChange}
      start={now}
      isReady={(typed) => ["role", "programs", ...limitNames].some((one) => textOf(typed[one]) !== textOf(now[one]))}
      send={({ programs, reason, role, ...chosen }) => {
        const payload = { role, reason, ...(programs && { programs }), ...changesOf(limits, chosen) }
        return staffClient.staff.changeUserRole({ params: { user_id }, payload })
      }}
      done={useRefresh("staff")}
    >
      <RoleInput />
      <StaffPrograms />
      <RestaurantLimitsInput />
      <Alert title={strings.member.preview}>
        {status === "invited" ? text.invitedRoleEffect(name) : text.roleEffect(name)}
      </Alert>
      <ReasonField />
    </FormDialog>
  )
}

const OwnLimits = ({ person: { limits = {}, name, role, user_id } }: { readonly person: Person }) => (
  <ChangeLimits
    name={name}
    effect={staffStrings.limits.ofPersonEffect(name, staffStrings.roles[role])}
    none={staffStrings.limits.ofRole}
    schema={UserLimitChange}
    start={limits}
    send={(payload) => limitsClient.limits.changeUserLimits({ params: { user_id }, payload })}
  />
)

const InviteAgain = (props: { readonly person: Person; readonly told: (invited: JustInvited) => void }) => {
  const { name, user_id } = props.person
  return (
    <ChangeDialog
      label={text.again}
      name={text.of(text.again, name)}
      done={useRefresh("staff")}
      run={async (keyOf) =>
        props.told(await call(keyed(keyOf(user_id), staffClient.staff.inviteUserAgain({ params: { user_id } }))))
      }
    >
      <Alert title={strings.member.preview}>{text.againEffect(name)}</Alert>
    </ChangeDialog>
  )
}

export const Actions = (props: {
  readonly person: Person
  /** False: the person is the only owner who can sign in. */
  readonly mayGo: boolean
  readonly told: (invited: JustInvited) => void
  /** Tells that sessions ended. */
  readonly said: (sentence: string) => void
}) => {
  const { mayGo, person, said, told } = props
  const { name, passkeys, role, status, user_id } = person
  const refresh = useRefresh("staff")
  // Own sessions and passkeys are on the page of the own account.
  const isSelf = useSession().user?.user_id === user_id
  const of = { params: { user_id } }
  return (
    <Group gap="xs">
      {mayGo ? <ChangeRole key="role" person={person} /> : undefined}
      {scopesOf(role).has("points:give") && role !== "owner" ? <OwnLimits key="limits" person={person} /> : undefined}
      {status === "disabled" ? (
        <ReasonDialog
          key="enable"
          label={text.enable}
          name={text.of(text.enable, name)}
          isDangerous={false}
          preview={text.enableEffect(name, passkeys.length > 0)}
          done={refresh}
          schema={Because}
          send={(payload) => staffClient.staff.enableUser({ ...of, payload })}
        />
      ) : isSelf ? undefined : (
        <InviteAgain key="again" person={person} told={told} />
      )}
      {passkeys.length === 0 || isSelf || !mayGo ? undefined : (
        <ReasonDialog
          key="passkeys"
          label={text.removePasskeys}
          name={text.of(text.removePasskeys, name)}
          isDangerous
          preview={text.removePasskeysEffect(name)}
          done={refresh}
          schema={Because}
          send={(payload) => staffClient.staff.removeUserPasskeys({ ...of, payload })}
        />
      )}
      {status === "active" && !isSelf ? (
        <ReasonDialog
          key="sessions"
          label={text.endSessions}
          name={text.of(text.endSessions, name)}
          isDangerous
          preview={text.endSessionsEffect(name)}
          schema={Because}
          send={(payload) => staffClient.staff.endUserSessions({ ...of, payload })}
          done={({ ended }) => {
            said(text.ended(ended, name))
            refresh()
          }}
        />
      ) : undefined}
      {status === "disabled" || !mayGo ? undefined : (
        <ReasonDialog
          key="disable"
          label={text.disable}
          name={text.of(text.disable, name)}
          isDangerous
          preview={text.disableEffect(name)}
          done={refresh}
          schema={Because}
          send={(payload) => staffClient.staff.disableUser({ ...of, payload })}
        />
      )}
      {mayGo ? undefined : <Note size="xs">{text.lastOwner}</Note>}
    </Group>
  )
}
