/** Chooses a role, each with what it may do. */
import { Radio, Stack } from "@mantine/core"
import type { Role } from "../../contract/Roles.ts"
import { faultAt } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { useRoleWords } from "./limits.ts"
import { useRoles } from "./staff.ts"

export const RoleInput = (props: {
  readonly value: Role | undefined
  readonly onChange: (role: Role) => void
  readonly error: unknown
}) => {
  const words = useRoleWords()
  return (
    <Radio.Group
      label={staffStrings.role}
      required
      value={props.value ?? ""}
      onChange={(role) => props.onChange(role as Role)}
      error={faultAt(props.error, "/role", props.value)}
    >
      <Stack gap="xs" mt="xs">
        {useRoles().map((role) => (
          <Radio key={role} value={role} label={staffStrings.roles[role]} description={words(role)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
