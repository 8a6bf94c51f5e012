/** Invites somebody who is no user yet. */
import { Invitation } from "../../contract/admin/Staff.ts"
import { accountLanguage } from "../shared/account.ts"
import { Field } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { staffStrings } from "../shared/staffStrings.ts"
import type { JustInvited } from "./InvitedDialog.tsx"
import { RestaurantLimitsInput } from "./RestaurantLimitsInput.tsx"
import { RoleInput } from "./RoleInput.tsx"
import { StaffPrograms } from "./StaffPrograms.tsx"
import { staffClient } from "./staff.ts"

const text = staffStrings.people

export const Invite = ({ told }: { readonly told: (invited: JustInvited) => void }) => {
  const refresh = useRefresh("staff")
  return (
    <FormDialog
      help="people"
      label={text.invite}
      submit={text.inviteSubmit}
      schema={Invitation}
      start={{ language: accountLanguage }}
      keepsInput
      send={(payload) => staffClient.staff.inviteUser({ payload })}
      done={(invited) => {
        told(invited)
        refresh()
      }}
    >
      <Field
        at="/email"
        label={staffStrings.email}
        hint={staffStrings.emailHint}
        input={{ type: "email", autoComplete: "off" }}
      />
      <Field at="/name" label={staffStrings.name} input={{ autoComplete: "off", maxLength: 128 }} />
      <RoleInput />
      <StaffPrograms />
      <RestaurantLimitsInput />
      <Note>{text.inviteEffect}</Note>
    </FormDialog>
  )
}
