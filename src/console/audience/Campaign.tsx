/** One campaign: its settings, runs or what triggered it, and results. */
import { Alert, Grid, Group, Stack, Table, Text, Title } from "@mantine/core"
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useEffect } from "react"
import type { Campaign as CampaignShown, RunListed, StatusChange } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import type { RunForecast } from "../../contract/platform/RunForecast.ts"
import { HandOver } from "../handovers/HandOver.tsx"
import { handoverStrings } from "../handovers/handoverStrings.ts"
import { useHandsOver } from "../handovers/putters.ts"
import { call, client, Failure, keyed, Worded } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { percent, time } from "../shared/format.ts"
import type { Section } from "../shared/help/helpStrings.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { ButtonLink, PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { isOutdated, Shown } from "../shared/States.tsx"
import { isOver, nextOf } from "../shared/schedule.ts"
import { useMay, useMayGive } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { Activation } from "./Activation.tsx"
import { archiveStrings } from "./archiveStrings.ts"
import { useCampaign, useOffer, useRuns, useSegment } from "./audience.ts"
import { automationStrings } from "./automationStrings.ts"
import { CampaignReport, SaveReport } from "./CampaignReport.tsx"
import { ChosenRun, GoingRuns, Runs, SaveRuns } from "./CampaignRuns.tsx"
import { actionWords, CampaignStatus, limitWords, scheduleWords } from "./CampaignWords.tsx"
import { campaignStrings } from "./campaignStrings.ts"
import { DeleteDialog } from "./DeleteDialog.tsx"
import { Found } from "./Found.tsx"
import { MailLack, MailShown } from "./MailShown.tsx"
import { PendingAudience } from "./PendingAudience.tsx"
import { RunNow } from "./RunNow.tsx"
import { TestNow } from "./TestNow.tsx"
import { Triggered } from "./Triggered.tsx"
import { eventWords, frequencyWords, givingWords } from "./TriggerWords.ts"

const platform = client(Campaigns)

const text = campaignStrings

/** Runs that the page lists. */
const shownRuns = 100
/** Interval for refetching an unfinished run, and for checking for a new run, ms. */
const runningMs = 1_000
const restingMs = 15_000
/** Interval for refetching the report during a run, ms. Long, because a report counts all members reached. */
const reportMs = 5_000

const refetchMs = (runs: ReadonlyArray<RunListed>): number =>
  runs.some(({ status }) => status === "running") ? runningMs : restingMs

type Status = StatusChange["status"]

/** The audience that is shown, if a run is foreseen. */
const seenIn = (queries: QueryClient, { campaign_id, version }: CampaignShown) => {
  const queryKey = ["forecast", campaign_id, version]
  const [[, forecast] = []] = queries.getQueriesData<RunForecast>({ queryKey, type: "active" })
  return forecast === undefined ? {} : { seen: forecast.seen }
}

/** A change of status. With a key: an open dialog never turns into the opposite change when the status comes. */
const Change = (props: {
  readonly campaign: CampaignShown
  readonly label: string
  readonly to: Status
  readonly isReady?: boolean
  readonly help?: Section
  readonly children: ReactNode | ((error: unknown) => ReactNode)
}) => {
  const { campaign_id, version } = props.campaign
  const queries = useQueryClient()
  const refresh = useRefresh("campaigns", "runs")
  const refreshShown = useRefresh("campaign", "segment", "forecast")
  return (
    <ChangeDialog
      label={props.label}
      {...(props.help === undefined ? {} : { help: props.help })}
      isReady={props.isReady ?? true}
      begin={refreshShown}
      run={async () => {
        // Activated is what is shown. Everything else only stops it, whatever it is by now.
        const payload = {
          campaign_id,
          status: props.to,
          ...(props.to === "active" ? { expected_version: version, ...seenIn(queries, props.campaign) } : {})
        }
        const { campaign } = await call(platform.platform_campaigns.setCampaignStatus({ payload })).catch((error) => {
          if (!isOutdated(error)) throw error
          refreshShown()
          throw new Worded(text.outdated)
        })
        queries.setQueryData(["campaign", campaign_id], campaign)
      }}
      done={refresh}
    >
      {props.children}
    </ChangeDialog>
  )
}

/** Deletes a draft. One that was active is kept by the service, which says so. */
const Delete = ({ campaign: { campaign_id, name } }: { readonly campaign: CampaignShown }) => {
  return (
    <DeleteDialog
      label={text.delete}
      preview={text.deletePreview(name)}
      to="/audience/campaigns"
      done={useRefresh("campaigns")}
      run={(keyOf) =>
        call(keyed(keyOf(campaign_id), platform.platform_campaigns.deleteCampaign({ payload: { campaign_id } })))
      }
    />
  )
}

/** Restores an archived campaign, or copies it. */
const ArchivedActions = ({ campaign }: { readonly campaign: CampaignShown }) => (
  <Group gap="xs">
    <Change key="restore" campaign={campaign} label={archiveStrings.restore} to="draft">
      {(error: unknown) => (
        <>
          <Alert title={strings.member.preview}>{archiveStrings.campaignBack}</Alert>
          {error instanceof Failure && error.code === "invalid_state" ? <Text>{archiveStrings.needs}</Text> : undefined}
        </>
      )}
    </Change>
    <Copy campaign={campaign} />
  </Group>
)

const Copy = ({ campaign: { campaign_id } }: { readonly campaign: CampaignShown }) => (
  <ButtonLink size="xs" variant="default" to="/audience/campaigns/new" search={{ copy: campaign_id }}>
    {text.duplicate}
  </ButtonLink>
)

/** The actions for a campaign in its status. */
const Actions = ({ campaign, hasRun }: { readonly campaign: CampaignShown; readonly hasRun: boolean }) => {
  const { campaign_id, segment_id, status, trigger } = campaign
  const mayGive = useMayGive("platform")
  const handsOver = useHandsOver("campaign")
  const now = useServiceNow()
  const isOn = status !== "draft" && status !== "paused"
  return (
    <Group gap="xs" align="flex-end">
      {mayGive && status === "active" && segment_id !== undefined && trigger === undefined ? (
        <RunNow campaign={campaign} segment_id={segment_id} hasRun={hasRun} />
      ) : undefined}
      {isOn ? (
        <Change key="pause" campaign={campaign} label={text.pause} to="paused">
          <Alert title={strings.member.preview}>
            {trigger === undefined ? text.pausePreview : automationStrings.pause}
          </Alert>
        </Change>
      ) : !mayGive ? (
        handsOver ? (
          <HandOver what={{ type: "campaign", campaign_id }} does={handoverStrings.does.campaign(campaign.name)} />
        ) : (
          <Note>{strings.states.mayNotGive}</Note>
        )
      ) : (
        <Change
          key="activate"
          help="activate"
          campaign={campaign}
          label={status === "paused" ? automationStrings.resume : text.activate}
          to="active"
          // The preview says that it is over.
          isReady={!isOver(campaign.schedule, now)}
        >
          <OwnLimits program={campaign.program_id} />
          <Activation campaign={campaign} />
        </Change>
      )}
      {status === "draft" ? undefined : (
        <Change campaign={campaign} label={text.withdraw} to="draft">
          <Alert title={strings.member.preview}>
            {trigger === undefined ? text.withdrawPreview : automationStrings.withdraw}
          </Alert>
        </Change>
      )}
      {status !== "draft" && !mayGive ? undefined : (
        <ButtonLink size="xs" variant="default" to="/audience/campaigns/$campaign_id/edit" params={{ campaign_id }}>
          {text.edit}
        </ButtonLink>
      )}
      {mayGive ? <TestNow campaign={campaign} /> : undefined}
      <Copy campaign={campaign} />
      <Change key="archive" campaign={campaign} label={archiveStrings.archive} to="archived">
        <Alert title={strings.member.preview}>{archiveStrings.campaign}</Alert>
      </Change>
      {status === "draft" && !hasRun ? <Delete campaign={campaign} /> : undefined}
    </Group>
  )
}

/** When the campaign gives something. */
const whenRows = (campaign: CampaignShown, now: number, zone: string): ReadonlyArray<readonly [string, ReactNode]> => {
  const { next_run_at, schedule, trigger } = campaign
  if (trigger !== undefined)
    return [
      [automationStrings.when, eventWords(trigger)],
      [automationStrings.given, givingWords(trigger)],
      ...(trigger.to === undefined ? [] : [[automationStrings.to, automationStrings.receivers[trigger.to]] as const])
    ]
  const at = nextOf(campaign, now)
  const next = at === undefined ? undefined : time(at, schedule?.repeat?.time_zone ?? zone)
  return [
    [text.schedule, scheduleWords(schedule, zone)],
    [text.next, next === undefined ? text.noNext : next_run_at === undefined ? text.onceActive(next) : next]
  ]
}

const Settings = ({ campaign }: { readonly campaign: CampaignShown }) => {
  const zone = useZone()
  const offer = useOffer()
  const { action, attribution_days, frequency, guest_name, guest_text, holdout_percent, limit, mail, segment_id } =
    campaign
  const segment = useSegment(segment_id).data
  const now = useServiceNow()
  const rows: ReadonlyArray<readonly [string, ReactNode]> = [
    [
      text.segment,
      segment_id === undefined ? (
        text.anybody
      ) : (
        <PageLink key="segment" to="/audience/segments/$segment_id" params={{ segment_id }}>
          {segment?.name ?? segment_id}
        </PageLink>
      )
    ],
    [text.action, actionWords(action, offer)],
    [text.guests.title, [guest_name, guest_text].filter((one) => one !== undefined).join(": ") || text.guests.none],
    [
      text.mail.title,
      mail === undefined ? (
        text.mail.none
      ) : (
        <Stack key="mail" gap="xs">
          <MailShown campaign={campaign} />
          <MailLack campaign={campaign} />
        </Stack>
      )
    ],
    ...whenRows(campaign, now, zone),
    [automationStrings.frequency, frequencyWords(frequency)],
    [text.holdout, holdout_percent === 0 ? text.noHoldout : text.holdoutOf(percent(holdout_percent * 100))],
    [text.limits, limit === undefined ? text.noLimits : limitWords(campaign, offer)],
    [text.attribution, text.attributionOf(attribution_days)]
  ]
  return (
    <Panel title={text.settings}>
      <Table variant="vertical" layout="auto" withRowBorders={false}>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th w={150}>{label}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  )
}

/** Refetched when a run begins or ends, and every few seconds during a run. With a trigger there are no runs. */
const useReport = ({ campaign_id, trigger }: CampaignShown, runs: ReadonlyArray<RunListed>) => {
  const isTriggered = trigger !== undefined
  const states = runs.map(({ run_id, status }) => [run_id, status])
  return useQuery({
    queryKey: ["report", campaign_id, states],
    enabled: isTriggered || runs.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: isTriggered ? restingMs : runs.some(({ status }) => status === "running") ? reportMs : false,
    queryFn: () => call(platform.platform_campaigns.campaignReport({ query: { campaign_id } }))
  })
}

const Results = ({ campaign, runs }: { readonly campaign: CampaignShown; readonly runs: ReadonlyArray<RunListed> }) => {
  const report = useReport(campaign, runs)
  const isTriggered = campaign.trigger !== undefined
  return (
    <>
      {isTriggered ? (
        <Panel title={automationStrings.sofar}>
          <Shown query={report}>
            {({ triggered }) =>
              triggered === undefined ? undefined : <Triggered {...triggered} to={campaign.trigger?.to} />
            }
          </Shown>
        </Panel>
      ) : undefined}
      <Panel title={text.report} actions={report.data === undefined ? undefined : <SaveReport report={report.data} />}>
        {!isTriggered && runs.length === 0 ? (
          <Text c="dimmed">{text.noReport}</Text>
        ) : (
          <Shown query={report}>{(shown) => <CampaignReport {...shown} />}</Shown>
        )}
      </Panel>
      {isTriggered ? undefined : (
        <Panel
          title={text.runs}
          actions={runs.length === 0 ? undefined : <SaveRuns campaign={campaign.name} runs={runs} />}
        >
          {runs.length === 0 ? <Text c="dimmed">{text.noRuns}</Text> : <Runs runs={runs} />}
        </Panel>
      )}
    </>
  )
}

const Whole = ({ campaign }: { readonly campaign: CampaignShown }) => {
  const may = useMay()
  const queries = useQueryClient()
  const { campaign_id } = campaign
  const runs = useRuns(campaign_id, shownRuns, refetchMs)
  // The start or end of a run may change the status and the next occurrence.
  const ended = runs.data?.filter(({ status }) => status === "completed").length
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the number is the reason
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["campaign", campaign_id] })
  }, [ended, queries, campaign_id])
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{campaign.name}</Title>
          <CampaignStatus status={campaign.status} />
        </Group>
        {may("putCampaign") && runs.data !== undefined ? (
          campaign.status === "archived" ? (
            <ArchivedActions campaign={campaign} />
          ) : (
            <Actions campaign={campaign} hasRun={runs.data.length > 0} />
          )
        ) : undefined}
      </Group>
      {campaign.segment_id === undefined || campaign.status === "archived" ? undefined : (
        <PendingAudience campaign={campaign} />
      )}
      <Shown query={runs}>
        {(shown) => (
          <Grid>
            <Grid.Col span={{ base: 12, lg: 8 }}>
              <Stack>
                <GoingRuns runs={shown} />
                <Results campaign={campaign} runs={shown} />
                <ChosenRun
                  campaign_id={campaign_id}
                  program_id={campaign.action.issue_reward === undefined ? undefined : campaign.program_id}
                  runs={shown}
                />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 4 }}>
              <Settings campaign={campaign} />
            </Grid.Col>
          </Grid>
        )}
      </Shown>
    </Stack>
  )
}

export const Campaign = () => {
  const { campaign_id } = useParams({ from: "/audience/campaigns/$campaign_id" })
  const campaign = useCampaign(campaign_id)
  return (
    <Stack gap="xs">
      <PageLink to="/audience/campaigns">{text.all}</PageLink>
      <Found query={campaign} gone={text.gone}>
        {(shown) => <Whole key={campaign_id} campaign={shown} />}
      </Found>
    </Stack>
  )
}
