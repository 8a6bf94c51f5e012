/** Moves of the guests of another provider, where there are any. */
import { Fragment } from "react"
import { MovingIn } from "../../contract/admin/MoveIn.ts"
import type { MoveRun } from "../../contract/admin/MoveRuns.ts"
import { call, client } from "../shared/client.ts"
import { number, timeShort } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useProgramQuery, useZone } from "../shared/program.tsx"
import { useMay } from "../shared/session.tsx"
import { MoveStatus } from "./MoveStatus.tsx"
import { moveStrings } from "./moveStrings.ts"

const admin = client(MovingIn)
const text = moveStrings

export const faultsOf = ({ fault_counts }: MoveRun): number => fault_counts.reduce((sum, { count }) => sum + count, 0)

/** Names of files, each in the direction of its own letters. */
export const FileNames = ({ files }: Pick<MoveRun, "files">) =>
  files.map((file, place) => (
    <Fragment key={file}>
      {place === 0 ? undefined : ", "}
      <bdi>{file}</bdi>
    </Fragment>
  ))

export const MoveRuns = () => {
  const program_id = useProgramQuery()?.program_id
  const zone = useZone()
  const mayRead = useMay()("listMoveRuns")
  const runs = usePaged(
    ["moves", program_id],
    (query) => call(admin.moveIn.listMoveRuns({ params: { program_id: program_id ?? "" }, query })),
    program_id !== undefined && mayRead
  )
  const hasNone = runs.error === null && (runs.data?.pages[0]?.runs.length ?? 0) === 0
  // Most programmes never have any.
  if (!mayRead || hasNone) return undefined
  return (
    <Panel title={text.former}>
      <Note mb="xs">{text.hint}</Note>
      <PagedListing
        query={runs}
        rowsOf={(page) => page.runs}
        label={text.former}
        minWidth={800}
        keyOf={({ run_id }) => run_id}
        columns={[
          {
            label: `${text.when} (${zone})`,
            cell: ({ began_at, run_id }) => (
              <PageLink to="/audience/imports/moves/$run_id" params={{ run_id }}>
                {timeShort(began_at, zone)}
              </PageLink>
            )
          },
          { label: text.files, isLong: true, cell: ({ files }) => <FileNames files={files} /> },
          { label: text.by, cell: ({ reported_by }) => <bdi>{reported_by}</bdi> },
          { label: text.status, cell: (one) => <MoveStatus {...one} /> },
          { label: text.guests, isNumber: true, cell: ({ guests }) => number(guests) },
          { label: text.outcomes.enrolled, isNumber: true, cell: ({ outcomes }) => number(outcomes.enrolled ?? 0) },
          { label: text.outcomes.refused, isNumber: true, cell: ({ outcomes }) => number(outcomes.refused ?? 0) },
          { label: text.faultCount, isNumber: true, cell: (one) => number(faultsOf(one)) }
        ]}
      />
    </Panel>
  )
}
