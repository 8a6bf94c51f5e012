/** One run of a move from another provider, with its faults by row. */
import { Group, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { MovingIn } from "../../contract/admin/MoveIn.ts"
import type { MoveFault, MoveRun as Run } from "../../contract/admin/MoveRuns.ts"
import { call, client } from "../shared/client.ts"
import { number, time } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgramQuery, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { FileNames, faultsOf } from "./MoveRuns.tsx"
import { MoveStatus } from "./MoveStatus.tsx"
import { moveStrings } from "./moveStrings.ts"

const admin = client(MovingIn)
const text = moveStrings

/** Interval for refetching a run that goes on, ms. */
const progressPollMs = 5_000

const outcomes = ["enrolled", "joined", "added", "same", "erased", "refused"] as const

/** A text by a name of the command; undefined: a later version has made the name. */
const named = (texts: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined

const Figure = ({ label, value }: { readonly label: string; readonly value: number }) => (
  <div>
    <Note>{label}</Note>
    <Text className="number" size="xl" fw={600}>
      {number(value)}
    </Text>
  </div>
)

const Figures = ({ run }: { readonly run: Run }) => (
  <SimpleGrid cols={{ base: 2, sm: 4 }}>
    <Figure label={text.guests} value={run.guests} />
    {outcomes.flatMap((outcome) => {
      const value = run.outcomes[outcome] ?? 0
      return value === 0 ? [] : [<Figure key={outcome} label={text.outcomes[outcome]} value={value} />]
    })}
    <Figure label={text.lots} value={run.lots} />
  </SimpleGrid>
)

/** A fault in the person's language, then in the command's words. */
const What = ({ fault: { detail, name } }: { readonly fault: MoveFault }) => {
  const known = named(text.faultNames, name)
  return (
    <>
      {known ?? name}
      {detail === undefined ? undefined : <Note>{detail}</Note>}
    </>
  )
}

const Kinds = ({ run }: { readonly run: Run }) => (
  <Panel title={text.kinds}>
    <Listing
      rows={run.fault_counts}
      label={text.kinds}
      minWidth={360}
      keyOf={({ name }) => name}
      columns={[
        {
          label: text.fault,
          isLong: true,
          cell: ({ name, waived }) => (
            <>
              {named(text.faultNames, name) ?? name}
              {waived === true ? ` (${text.waived})` : undefined}
            </>
          )
        },
        { label: text.times, isNumber: true, cell: ({ count }) => number(count) }
      ]}
    />
  </Panel>
)

const Faults = ({ faults, run }: { readonly run: Run; readonly faults: ReadonlyArray<MoveFault> }) => (
  <Panel title={text.faults}>
    <Note mb="xs">
      {text.rowsCount} {faults.length < faultsOf(run) ? text.firstOf(faults.length, faultsOf(run)) : undefined}
    </Note>
    <Listing
      rows={faults.map((fault, place) => ({ fault, place }))}
      label={text.faults}
      minWidth={720}
      keyOf={({ place }) => String(place)}
      columns={[
        { label: text.file, width: 150, cell: ({ fault }) => <bdi>{fault.file}</bdi> },
        { label: text.row, width: 80, cell: ({ fault }) => (fault.row === undefined ? undefined : number(fault.row)) },
        {
          label: text.column,
          width: 120,
          cell: ({ fault: { column } }) => (column === undefined ? undefined : <bdi>{column}</bdi>)
        },
        { label: text.fault, isLong: true, cell: ({ fault }) => <What fault={fault} /> },
        {
          label: text.remedy,
          isLong: true,
          cell: ({ fault: { name, remedy } }) => named(text.remedies, name) ?? remedy
        }
      ]}
    />
  </Panel>
)

export const MoveRun = () => {
  const { run_id } = useParams({ from: "/audience/imports/moves/$run_id" })
  const program_id = useProgramQuery()?.program_id
  const zone = useZone()
  const query = useQuery({
    queryKey: ["move", program_id, run_id],
    enabled: program_id !== undefined,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.run.status === "running" || data.run.status === "interrupted" ? progressPollMs : false,
    queryFn: () => call(admin.moveIn.showMoveRun({ params: { program_id: program_id ?? "", run_id } }))
  })
  return (
    <Stack>
      <PageLink to="/audience/imports">{text.all}</PageLink>
      <Shown query={query}>
        {({ faults, run }) => (
          <>
            <Group gap="sm">
              <Title order={2}>{text.of(time(run.began_at, zone))}</Title>
              <MoveStatus {...run} />
            </Group>
            <Text size="sm">
              <FileNames files={run.files} /> <bdi>{text.sentBy(run.reported_by)}</bdi>
            </Text>
            <Text size="sm" role="status">
              {text.statusHints[run.status]}
            </Text>
            <Panel title={text.result}>
              <Figures run={run} />
            </Panel>
            {run.fault_counts.length === 0 ? undefined : <Kinds run={run} />}
            {faults.length === 0 ? undefined : <Faults run={run} faults={faults} />}
          </>
        )}
      </Shown>
    </Stack>
  )
}
