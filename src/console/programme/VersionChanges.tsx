/** Changes of a version, once somebody opens it. Its names come from the two versions that are compared. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import { call, client } from "../shared/client.ts"
import { number } from "../shared/format.ts"
import { Shown } from "../shared/States.tsx"
import type { ProgramChange } from "./moneyChanges.ts"
import { ProgramChanges } from "./ProgramChanges.tsx"
import { programmeStrings as text } from "./programmeStrings.ts"

const admin = client(ManagedPrograms)

/** A version never changes. */
const useVersion = (id: string, version: number, isNeeded: boolean) =>
  useQuery({
    queryKey: ["version", id, version],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isNeeded,
    queryFn: () => call(admin.programs.showProgramVersion({ params: { program_id: id, version: String(version) } }))
  })

export const VersionChanges = (props: {
  readonly id: string
  readonly version: number
  readonly changes: ReadonlyArray<ProgramChange>
}) => {
  const { changes, id, version } = props
  const [isOpened, setOpened] = useState(false)
  const after = useVersion(id, version, isOpened)
  const before = useVersion(id, version - 1, isOpened)
  return (
    <details onToggle={() => setOpened(true)}>
      <summary aria-label={text.changedIn(changes.length, number(version))}>{text.changed(changes.length)}</summary>
      {isOpened ? (
        <Shown query={before}>
          {({ program: earlier }) => (
            <Shown query={after}>
              {({ program }) => <ProgramChanges changes={changes} before={earlier} after={program} />}
            </Shown>
          )}
        </Shown>
      ) : undefined}
    </details>
  )
}
