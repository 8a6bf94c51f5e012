import { useState } from "react"
import { useListField } from "../shared/form/Field.tsx"
import { ProgramsInput } from "../shared/form/ProgramsInput.tsx"
import { useProgramList } from "../shared/program.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

/** The programmes that a person is limited to. Absent while there is one programme, and nobody is limited to it. */
export const StaffPrograms = () => {
  const { data: all = [] } = useProgramList()
  const { value } = useListField("/programs")
  const [wasLimited] = useState(value.length > 0)
  return all.length > 1 || wasLimited ? (
    <ProgramsInput at="/programs" label={staffStrings.programs} hint={staffStrings.programsHint} />
  ) : undefined
}
