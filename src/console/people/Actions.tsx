/** The changes of one person. Each has a key: an open dialog never turns into another change when the status comes. */
import { Alert, Group } from "@mantine/core"
import { useState } from "react"
import { type GivenLimits, limitNames, limitsIn } from "../../contract/RestaurantLimits.ts"
import { scopesOf } from "../../contract/Roles.ts"
import { call, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Reason } from "../shared/form/Reason.tsx"
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
const changesOf = (before: GivenLimits, typed: GivenLimits) =>
  Object.fromEntries(
    limitNames.flatMap((name) =>
      JSON.stringify(typed[name]) === JSON.stringify(before[name]) ? [] : [[name, typed[name] ?? null]]
    )
  )

const ChangeRole = ({ person }: { readonly person: Person }) => {
  const { name, programs: limitedTo = [], role, status, user_id } = person
  const refresh = useRefresh("staff")
  const limits: GivenLimits = limitsIn(person) ?? {}
  const now = { role, programs: limitedTo, limits, reason: "" }
  const [typed, setTyped] = useState(now)
  const isChange =
    typed.role !== role ||
    [...typed.programs].toSorted().join() !== [...limitedTo].toSorted().join() ||
    JSON.stringify(typed.limits) !== JSON.stringify(limits)
  return (
    <ChangeDialog
      label={text.changeRole}
      name={text.of(text.changeRole, name)}
      isReady={typed.reason !== "" && isChange}
      begin={() => setTyped(now)}
      done={refresh}
      run={() => {
        const { limits: chosen, programs, ...others } = typed
        const payload = {
          ...others,
          ...changesOf(limits, chosen),
          ...(programs.length === 0 ? undefined : { programs })
        }
        return call(staffClient.staff.changeUserRole({ params: { user_id }, payload }))
      }}
    >
      {(error: unknown) => (
        <>
          <RoleInput value={typed.role} onChange={(chosen) => setTyped({ ...typed, role: chosen })} error={error} />
          <StaffPrograms
            value={typed.programs}
            onChange={(chosen) => setTyped({ ...typed, programs: chosen })}
            error={error}
          />
          <RestaurantLimitsInput
            value={typed.limits}
            onChange={(chosen) => setTyped({ ...typed, limits: chosen })}
            error={error}
          />
          <Alert title={strings.member.preview}>
            {status === "invited" ? text.invitedRoleEffect(name) : text.roleEffect(name)}
          </Alert>
          <Reason value={typed.reason} onChange={(reason) => setTyped({ ...typed, reason })} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

const OwnLimits = ({ person: { limits = {}, name, role, user_id } }: { readonly person: Person }) => (
  <ChangeLimits
    name={name}
    now={limits}
    effect={staffStrings.limits.ofPersonEffect(name, staffStrings.roles[role])}
    none={staffStrings.limits.ofRole}
    run={(payload) => call(limitsClient.limits.changeUserLimits({ params: { user_id }, payload }))}
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
          run={(reason) => call(staffClient.staff.enableUser({ ...of, payload: { reason } }))}
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
          run={(reason) => call(staffClient.staff.removeUserPasskeys({ ...of, payload: { reason } }))}
        />
      )}
      {status === "active" && !isSelf ? (
        <ReasonDialog
          key="sessions"
          label={text.endSessions}
          name={text.of(text.endSessions, name)}
          isDangerous
          preview={text.endSessionsEffect(name)}
          done={refresh}
          run={async (reason) => {
            const { ended } = await call(staffClient.staff.endUserSessions({ ...of, payload: { reason } }))
            said(text.ended(ended, name))
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
          run={(reason) => call(staffClient.staff.disableUser({ ...of, payload: { reason } }))}
        />
      )}
      {mayGo ? undefined : <Note size="xs">{text.lastOwner}</Note>}
    </Group>
  )
}
