/** Chooses a role, each with what it may do. */
import { Radio, Stack } from "@mantine/core"
import { useField } from "../shared/form/Field.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { useRoleWords } from "./limits.ts"
import { useRoles } from "./staff.ts"

export const RoleInput = () => {
  const { error, onChange, value } = useField("/role")
  const words = useRoleWords()
  return (
    <Radio.Group label={staffStrings.role} required value={String(value ?? "")} onChange={onChange} error={error}>
      <Stack gap="xs" mt="xs">
        {useRoles().map((role) => (
          <Radio key={role} value={role} label={staffStrings.roles[role]} description={words(role)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
