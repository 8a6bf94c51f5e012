/** The runs of a campaign, and what became of each member in one of them. */
import { Alert, Anchor, Badge, Button, Group, Progress, Stack, Table, Text } from "@mantine/core"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import type { RunListed, RunShown } from "../../contract/platform/Campaigns.ts"
import { number, time, timeShort } from "../app/format.ts"
import { call, client } from "../app/client.ts"
import { usePaged } from "../app/paged.ts"
import { useZone } from "../app/program.tsx"
import { strings } from "../app/strings.ts"
import { MemberLink } from "./Estimate.tsx"
import { More } from "./More.tsx"
import { Panel } from "./Panel.tsx"
import { Empty, Shown } from "./States.tsx"
import { Wide } from "./Wide.tsx"

const platform = client(Campaigns)

const text = strings.campaigns

const doneOf = ({ failed, holdout, issued, skipped }: RunListed): number => failed + holdout + issued + skipped

/** A scheduled run's key is the moment of its occurrence. */
const howWords = ({ run_key }: RunListed, zone: string): string => {
  if (run_key === undefined) return text.byHand
  return /^\d{4}-\d\d-\d\dT/.test(run_key) ? text.bySchedule(timeShort(run_key, zone)) : text.keyed
}

const RunProgress = ({ run }: { readonly run: RunListed }) => {
  const done = doneOf(run)
  return (
    <Stack gap={4}>
      <Progress
        value={run.selected === 0 ? 0 : (100 * done) / run.selected}
        animated={run.status === "running"}
        aria-label={text.progress}
      />
      <Text size="sm" role="status">
        {text.progressOf(number(done), number(run.selected))}
      </Text>
    </Stack>
  )
}

/** The runs that have not ended, with how far they are. */
export const GoingRuns = ({ runs }: { readonly runs: ReadonlyArray<RunListed> }) => {
  const going = runs.filter(({ status }) => status !== "completed")
  if (going.length === 0) return undefined
  return (
    <Panel title={text.running}>
      <Stack>
        {going.map((run) => (
          <RunProgress key={run.run_id} run={run} />
        ))}
      </Stack>
    </Panel>
  )
}

const Row = ({ run }: { readonly run: RunListed }) => {
  const zone = useZone()
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          renderRoot={(props) => (
            <Link {...props} from="/audience/campaigns/$campaign_id" search={{ run: run.run_id }} />
          )}
          size="sm"
        >
          {timeShort(run.started_at, zone)}
        </Anchor>
      </Table.Td>
      <Table.Td>{howWords(run, zone)}</Table.Td>
      <Table.Td>
        <Badge variant="default">{text.runStatuses[run.status]}</Badge>
        {run.limit_reached ? <Text size="xs">{text.limitReached}</Text> : undefined}
      </Table.Td>
      {([run.selected, run.issued, run.skipped, run.failed, run.holdout] as const).map((count, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay where they are
        <Table.Td key={index} className="number" ta="right">
          {number(count)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

export const Runs = ({ runs }: { readonly runs: ReadonlyArray<RunListed> }) => {
  const zone = useZone()
  return (
    <Wide label={text.runs} minWidth={760}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{`${text.started} (${zone})`}</Table.Th>
            <Table.Th>{text.how}</Table.Th>
            <Table.Th>{text.status}</Table.Th>
            {([text.selected, text.issued, text.skipped, text.failed, text.heldOut] as const).map((label) => (
              <Table.Th key={label} ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <Row key={run.run_id} run={run} />
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  )
}

const whyWords = (code: string | undefined): string =>
  code === undefined ? "" : (text.codes[code] ?? code.replaceAll("_", " "))

const Outcomes = ({ outcomes }: Pick<RunShown, "outcomes">) =>
  outcomes.length === 0 ? (
    <Empty title={text.noOutcomes} />
  ) : (
    <Wide label={text.outcomes} minWidth={360}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{strings.members.member}</Table.Th>
            <Table.Th>{text.outcome}</Table.Th>
            <Table.Th>{text.why}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {outcomes.map(({ code, member_id, status }) => (
            <Table.Tr key={member_id}>
              <Table.Td>
                <MemberLink member_id={member_id} />
              </Table.Td>
              <Table.Td>
                <Badge variant="default">{text.outcomesOf[status]}</Badge>
              </Table.Td>
              <Table.Td>{whyWords(code)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  )

/** The run that the address names, with the outcome of each member; fetched again while it goes on. */
export const ChosenRun = ({
  campaign_id,
  runs
}: {
  readonly campaign_id: string
  readonly runs: ReadonlyArray<RunListed>
}) => {
  const { run: run_id } = useSearch({ from: "/audience/campaigns/$campaign_id" })
  const zone = useZone()
  const navigate = useNavigate({ from: "/audience/campaigns/$campaign_id" })
  const listed = runs.find((one) => one.run_id === run_id)
  const pages = usePaged(
    ["run", campaign_id, run_id, listed === undefined ? 0 : doneOf(listed), listed?.status],
    async (page) => {
      const found = await call(
        platform.platform_campaigns.campaignRuns({
          query: { campaign_id, run_id: run_id ?? "", limit: "100", ...page }
        })
      )
      if (!("run" in found)) throw new Error("a run that is named is answered alone")
      return found
    },
    run_id !== undefined
  )
  if (run_id === undefined) return undefined
  const run = listed ?? pages.data?.pages[0]?.run
  return (
    <Panel
      title={run === undefined ? text.outcomes : text.runTitle(time(run.started_at, zone))}
      actions={
        <Button size="xs" variant="default" onClick={() => void navigate({ search: {} })}>
          {strings.states.close}
        </Button>
      }
    >
      <Stack>
        {run === undefined ? undefined : (
          <Text size="sm" role="status">
            {text.progressOf(number(doneOf(run)), number(run.selected))}
          </Text>
        )}
        {run?.limit_reached === true ? <Alert color="yellow">{text.limitReached}</Alert> : undefined}
        <Shown query={pages}>
          {(data) => (
            <>
              <Outcomes outcomes={data.pages.flatMap((page) => page.run.outcomes)} />
              <Group>
                <More query={pages} />
              </Group>
            </>
          )}
        </Shown>
      </Stack>
    </Panel>
  )
}
