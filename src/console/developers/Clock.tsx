/** The sandbox clock: moves it, shows what expired, and resets the sandbox. Renders nothing on a live service. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { SandboxClock as SandboxClockGroup } from "../../contract/admin/Clock.ts"
import { Overviews } from "../../contract/admin/Overview.ts"
import { call, client } from "../shared/client.ts"
import { useClock } from "../shared/clock.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { number, time, timeShort } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgramId, useZone } from "../shared/program.tsx"
import { Failed, Refused } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { developerStrings } from "./developerStrings.ts"

const admin = client(Overviews, SandboxClockGroup)

const text = developerStrings

const jumps = ["P1D", "P7D", "P1M", "P1Y"] as const
type Jump = (typeof jumps)[number]

/** Pause between two requests for the figures, ms, and the maximum number of requests. */
const pollMs = 500
const mostPolls = 60

/** The figures, once they include everything up to an instant. Undefined if that takes too long. */
const outstandingAt = async (program_id: string | undefined, at: string): Promise<number | undefined> => {
  for (let polls = 0; polls < mostPolls; polls++) {
    const query = program_id === undefined ? {} : { program_id }
    const { as_of, points } = await call(admin.overview.overview({ query }))
    if (Date.parse(as_of) >= Date.parse(at)) return points.reduce((sum, { outstanding }) => sum + outstanding, 0)
    await new Promise((resume) => setTimeout(resume, pollMs))
  }
  return undefined
}

interface Moved {
  readonly from: string
  readonly to: string
  /** Undefined if the figures did not arrive in time. */
  readonly expired: number | undefined
}

const move = async (program_id: string | undefined, from: string, advance: Jump): Promise<Moved> => {
  const before = await outstandingAt(program_id, from)
  const { now: to } = await call(admin.clock.moveClock({ payload: { advance } }))
  // The clock has moved even if the figures fail. The page then says that they are not counted yet.
  const after = await outstandingAt(program_id, to).catch(() => undefined)
  const isKnown = before !== undefined && after !== undefined
  return { from, to, expired: isKnown ? Math.max(0, before - after) : undefined }
}

const ClockMoved = ({ moved: { expired, from, to } }: { readonly moved: Moved }) => {
  const zone = useZone()
  return (
    <Alert role="status">
      {text.moved(timeShort(from, zone), timeShort(to, zone))}{" "}
      {expired === undefined ? text.dueUnknown : expired === 0 ? text.noneFellDue : text.fellDue(number(expired))}
    </Alert>
  )
}

const StartOver = () => {
  const queries = useQueryClient()
  return (
    <ChangeDialog
      label={text.startOver}
      isDangerous
      done={() => void queries.invalidateQueries()}
      run={() => call(admin.clock.moveClock({ payload: { reset: true } }))}
    >
      <Alert color="red" title={strings.member.preview}>
        {text.startOverPreview}
      </Alert>
    </ChangeDialog>
  )
}

export const SandboxClock = () => {
  const may = useMay()
  const zone = useZone()
  const program_id = useProgramId()
  const queries = useQueryClient()
  const clock = useClock()
  const change = useMutation({
    mutationFn: (advance: Jump) => move(program_id, clock.data?.now ?? "", advance),
    onSettled: () => queries.invalidateQueries()
  })
  if (clock.error !== null) return <Failed error={clock.error} />
  if (clock.data === null || clock.data === undefined) return undefined
  return (
    <Panel title={text.clock}>
      <Stack>
        <div>
          <Text className="number" fz="h3" fw={700}>
            {time(clock.data.now, zone)}
          </Text>
          <Note>{text.clockHint}</Note>
        </div>
        {may("moveClock") ? (
          <Group gap="xs">
            {jumps.map((jump) => (
              <Button
                key={jump}
                size="xs"
                variant="default"
                loading={change.isPending && change.variables === jump}
                disabled={change.isPending}
                onClick={() => change.mutate(jump)}
              >
                {text.jump[jump]}
              </Button>
            ))}
            <StartOver />
          </Group>
        ) : undefined}
        <Refused error={change.error} />
        {change.data === undefined ? undefined : <ClockMoved moved={change.data} />}
      </Stack>
    </Panel>
  )
}
