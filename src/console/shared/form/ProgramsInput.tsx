/** Chooses programmes. Absent if the session is limited, or if there is none to choose. */
import { Checkbox, Stack } from "@mantine/core"
import { useProgramList } from "../program.tsx"
import { useSession } from "../session.tsx"
import { useListField } from "./Field.tsx"

export const ProgramsInput = (props: { readonly at: string; readonly label: string; readonly hint: string }) => {
  const { error, onChange, value } = useListField(props.at)
  const { programs } = useSession()
  const { data: all = [] } = useProgramList()
  if (programs !== undefined || all.length === 0) return undefined
  return (
    <Checkbox.Group label={props.label} description={props.hint} value={value} onChange={onChange} error={error}>
      <Stack gap="xs" mt="xs">
        {all.map((one) => (
          <Checkbox key={one.program_id} value={one.program_id} label={<bdi>{one.name}</bdi>} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
