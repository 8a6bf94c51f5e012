/** Invites somebody who is no user yet. */

import { TextInput } from "@mantine/core"
import { useState } from "react"
import type { GivenLimits } from "../../contract/RestaurantLimits.ts"
import type { Role } from "../../contract/Roles.ts"
import { accountLanguage } from "../shared/account.ts"
import { call, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import type { JustInvited } from "./InvitedDialog.tsx"
import { RestaurantLimitsInput } from "./RestaurantLimitsInput.tsx"
import { RoleInput } from "./RoleInput.tsx"
import { StaffPrograms } from "./StaffPrograms.tsx"
import { staffClient } from "./staff.ts"

const text = staffStrings.people

const empty = {
  email: "",
  name: "",
  role: undefined as Role | undefined,
  programs: [] as ReadonlyArray<string>,
  limits: {} as GivenLimits
}

export const Invite = ({ told }: { readonly told: (invited: JustInvited) => void }) => {
  const refresh = useRefresh("staff")
  const [typed, setTyped] = useState(empty)
  const { email, limits, name, programs, role } = typed
  return (
    <ChangeDialog
      label={text.invite}
      submit={text.inviteSubmit}
      isReady={email.trim() !== "" && name.trim() !== "" && role !== undefined}
      done={() => {
        setTyped(empty)
        refresh()
      }}
      run={async (keyOf) => {
        if (role === undefined) return
        const payload = {
          email: email.trim(),
          name: name.trim(),
          role,
          language: accountLanguage,
          ...(programs.length === 0 ? undefined : { programs }),
          ...limits
        }
        told(await call(keyed(keyOf(payload), staffClient.staff.inviteUser({ payload }))))
      }}
    >
      {(error: unknown) => (
        <>
          <TextInput
            label={staffStrings.email}
            description={staffStrings.emailHint}
            type="email"
            autoComplete="off"
            required
            value={email}
            onChange={({ currentTarget }) => setTyped({ ...typed, email: currentTarget.value })}
            error={faultAt(error, "/email", email)}
          />
          <TextInput
            label={staffStrings.name}
            autoComplete="off"
            required
            maxLength={128}
            value={name}
            onChange={({ currentTarget }) => setTyped({ ...typed, name: currentTarget.value })}
            error={faultAt(error, "/name", name)}
          />
          <RoleInput value={role} onChange={(chosen) => setTyped({ ...typed, role: chosen })} error={error} />
          <StaffPrograms
            value={programs}
            onChange={(chosen) => setTyped({ ...typed, programs: chosen })}
            error={error}
          />
          <RestaurantLimitsInput
            value={limits}
            onChange={(chosen) => setTyped({ ...typed, limits: chosen })}
            error={error}
          />
          <Note>{text.inviteEffect}</Note>
        </>
      )}
    </ChangeDialog>
  )
}
