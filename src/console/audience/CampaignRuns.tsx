/** A campaign's runs, and one run's outcome for each member. */
import { Alert, Button, Group, NativeSelect, Progress, Stack, Text } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { OutcomeStatus } from "../../contract/platform/CampaignOutcome.ts"
import type { RunListed, RunShown } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import { call, client } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { localDay, number, time, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { More } from "../shared/More.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useZone } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { strings } from "../shared/strings.ts"
import { TakeBack } from "../shared/TakeBack.tsx"
import { takeBackStrings } from "../shared/takeBackStrings.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { MemberLink } from "./Estimate.tsx"

const platform = client(Campaigns)

const text = campaignStrings
const codes: Readonly<Record<string, string>> = text.codes

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
        {text.progressOf(number(done), run.selected, number(run.selected))}
      </Text>
    </Stack>
  )
}

/** Unfinished runs with their progress. */
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

/** Saves the runs as a file. */
export const SaveRuns = ({
  campaign,
  runs
}: {
  readonly campaign: string
  readonly runs: ReadonlyArray<RunListed>
}) => {
  const zone = useZone()
  const day = localDay(new Date(useServiceNow()).toISOString(), zone)
  return (
    <SaveFigures
      title={text.runsOf(campaign, day)}
      rows={() => [
        [text.started, text.how, text.status, text.selected, text.issued, text.skipped, text.failed, text.heldOut],
        ...runs.map((run) => [
          run.started_at,
          howWords(run, zone),
          text.runStatuses[run.status],
          run.selected,
          run.issued,
          run.skipped,
          run.failed,
          run.holdout
        ])
      ]}
    />
  )
}

export const Runs = ({ runs }: { readonly runs: ReadonlyArray<RunListed> }) => {
  const zone = useZone()
  return (
    <Listing
      label={text.runs}
      minWidth={760}
      rows={runs}
      keyOf={({ run_id }) => run_id}
      columns={[
        {
          label: `${text.started} (${zone})`,
          by: ({ started_at }) => started_at,
          cell: (run) => (
            <PageLink from="/audience/campaigns/$campaign_id" search={{ run: run.run_id }}>
              {timeShort(run.started_at, zone)}
            </PageLink>
          )
        },
        { label: text.how, by: (run) => howWords(run, zone), cell: (run) => howWords(run, zone) },
        {
          label: text.status,
          by: ({ status }) => text.runStatuses[status],
          cell: (run) => (
            <>
              <Status tone={runTones[run.status]}>{text.runStatuses[run.status]}</Status>
              {run.limit_reached ? <Text size="xs">{text.limitReached}</Text> : undefined}
            </>
          )
        },
        {
          label: text.selected,
          isNumber: true,
          by: ({ selected }) => selected,
          cell: ({ selected }) => number(selected)
        },
        { label: text.issued, isNumber: true, by: ({ issued }) => issued, cell: ({ issued }) => number(issued) },
        { label: text.skipped, isNumber: true, by: ({ skipped }) => skipped, cell: ({ skipped }) => number(skipped) },
        { label: text.failed, isNumber: true, by: ({ failed }) => failed, cell: ({ failed }) => number(failed) },
        { label: text.heldOut, isNumber: true, by: ({ holdout }) => holdout, cell: ({ holdout }) => number(holdout) }
      ]}
    />
  )
}

const runTones = { running: "waiting", paused: "waiting", completed: "good" } as const

const outcomeTones = { issued: "good", skipped: "neutral", failed: "bad", holdout: "neutral" } as const

const whyWords = (code: string | undefined): string =>
  code === undefined ? "" : (codes[code] ?? code.replaceAll("_", " "))

const Outcomes = ({ outcomes }: Pick<RunShown, "outcomes">) =>
  outcomes.length === 0 ? (
    <Empty title={text.noOutcomes} />
  ) : (
    <Listing
      label={text.outcomes}
      minWidth={360}
      rows={outcomes}
      keyOf={({ member_id }) => member_id}
      columns={[
        {
          label: strings.members.member,
          cell: (one) => <MemberLink member_id={one.member_id} name={one.display_name} />
        },
        {
          label: text.outcome,
          cell: ({ status }) => <Status tone={outcomeTones[status]}>{text.outcomesOf[status]}</Status>
        },
        { label: text.why, cell: ({ code }) => whyWords(code) }
      ]}
    />
  )

/** Each outcome with the count of its members. */
const countsOf = ({ failed, holdout, issued, skipped }: RunListed) => ({ issued, skipped, failed, holdout })

/** Chooses one outcome; undefined: all. Those that nobody has are left out. */
const OutcomeChoice = ({
  onChange,
  run,
  value
}: {
  readonly run: RunListed
  readonly value: OutcomeStatus | undefined
  readonly onChange: (outcome: OutcomeStatus | undefined) => void
}) => {
  const counts = countsOf(run)
  const present = OutcomeStatus.literals.filter((one) => counts[one] > 0 || one === value)
  if (present.length < 2 && value === undefined) return undefined
  return (
    <NativeSelect
      label={text.outcome}
      maw={260}
      value={value ?? ""}
      data={[
        { value: "", label: text.allOutcomes(number(doneOf(run))) },
        ...present.map((one) => ({ value: one, label: text.outcomeOf(text.outcomesOf[one], number(counts[one])) }))
      ]}
      onChange={({ currentTarget }) => onChange(present.find((one) => one === currentTarget.value))}
    />
  )
}

/** The run that the address names, with each member's outcome. Refetched until the run ends. */
export const ChosenRun = (props: Parameters<typeof RunOutcomes>[0]) => {
  const { run } = useSearch({ from: "/audience/campaigns/$campaign_id" })
  return <RunOutcomes key={run} {...props} />
}

const RunOutcomes = ({
  campaign_id,
  program_id,
  runs
}: {
  readonly campaign_id: string
  /** Its programme, if it issues rewards. */
  readonly program_id: string | undefined
  readonly runs: ReadonlyArray<RunListed>
}) => {
  const { run: run_id } = useSearch({ from: "/audience/campaigns/$campaign_id" })
  const zone = useZone()
  const navigate = useNavigate({ from: "/audience/campaigns/$campaign_id" })
  const [outcome, setOutcome] = useState<OutcomeStatus>()
  const listed = runs.find((one) => one.run_id === run_id)
  const pages = usePaged(
    ["run", campaign_id, run_id, outcome, listed === undefined ? 0 : doneOf(listed), listed?.status],
    async (page) => {
      const found = await call(
        platform.platform_campaigns.campaignRuns({
          query: {
            campaign_id,
            run_id: run_id ?? "",
            ...(outcome === undefined ? undefined : { outcome }),
            limit: "100",
            ...page
          }
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
        <Group gap="xs">
          {run === undefined || program_id === undefined || run.issued === 0 ? undefined : (
            <TakeBack
              program_id={program_id}
              cause={{ run_id }}
              name={takeBackStrings.ofRun(time(run.started_at, zone))}
            />
          )}
          <Button size="xs" variant="default" onClick={() => void navigate({ search: {} })}>
            {strings.states.close}
          </Button>
        </Group>
      }
    >
      <Stack>
        {run === undefined ? undefined : (
          <Text size="sm" role="status">
            {text.progressOf(number(doneOf(run)), run.selected, number(run.selected))}
          </Text>
        )}
        {run?.limit_reached === true ? <Alert color="yellow">{text.limitReached}</Alert> : undefined}
        {run?.outcomes_deleted === true ? <Note>{text.outcomesDeleted}</Note> : undefined}
        {run === undefined ? undefined : <OutcomeChoice run={run} value={outcome} onChange={setOutcome} />}
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
