/** Permissions of each role. */
import { roles } from "../../contract/Roles.ts"
import { Listing } from "../shared/Listing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { staffStrings as text } from "../shared/staffStrings.ts"
import { useRoleWords } from "./limits.ts"

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
