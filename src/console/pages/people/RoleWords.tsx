/** Permissions of each role. */
import { roles } from "../../../contract/Roles.ts"
import { useRoleWords } from "../../app/limits.ts"
import { staffStrings as text } from "../../app/staffStrings.ts"
import { Listing } from "../../ui/Listing.tsx"
import { Panel } from "../../ui/Panel.tsx"

export const RoleWords = () => {
  const words = useRoleWords()
  return (
    <Panel title={text.rolesTitle}>
      <Listing
        label={text.rolesTitle}
        minWidth={320}
        rows={roles}
        keyOf={(role) => role}
        columns={[
          { label: text.role, width: 140, cell: (role) => text.roles[role] },
          { label: text.does, isLong: true, cell: words }
        ]}
      />
    </Panel>
  )
}
