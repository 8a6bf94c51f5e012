/** Chooses programmes. Absent if the session is limited, or if there is none to choose. */
import { Checkbox, Stack } from "@mantine/core"
import { useProgramList } from "../program.tsx"
import { faultsWithin } from "../States.tsx"
import { useSession } from "../session.tsx"

export const ProgramsInput = (props: {
  readonly label: string
  readonly hint: string
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
  /** The refusal of the change, whose faults at `/programs` are shown. */
  readonly error: unknown
}) => {
  const { error, hint, label, onChange, value } = props
  const { programs } = useSession()
  const { data: all = [] } = useProgramList()
  if (programs !== undefined || all.length === 0) return undefined
  return (
    <Checkbox.Group
      label={label}
      description={hint}
      value={[...value]}
      onChange={onChange}
      error={faultsWithin(error, "/programs", [...value])}
    >
      <Stack gap="xs" mt="xs">
        {all.map((one) => (
          <Checkbox key={one.program_id} value={one.program_id} label={<bdi>{one.name}</bdi>} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
