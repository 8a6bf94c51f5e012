import { useState } from "react"
import { ProgramsInput } from "../shared/form/ProgramsInput.tsx"
import { useProgramList } from "../shared/program.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

/** The programmes that a person is limited to. Absent while there is one programme, and nobody is limited to it. */
export const StaffPrograms = (props: {
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
  readonly error: unknown
}) => {
  const { data: all = [] } = useProgramList()
  const [wasLimited] = useState(props.value.length > 0)
  return all.length > 1 || wasLimited ? (
    <ProgramsInput label={staffStrings.programs} hint={staffStrings.programsHint} {...props} />
  ) : undefined
}
