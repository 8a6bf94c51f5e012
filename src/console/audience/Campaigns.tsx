/** The programme's campaigns with their segments, actions, and schedules or triggers. */
import { Group, Paper, Stack, Text } from "@mantine/core"
import { Suspense } from "react"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Handovers } from "../handovers/Handovers.tsx"
import { useServiceNow } from "../shared/clock.ts"
import { timeShort } from "../shared/format.ts"
import { later } from "../shared/Later.tsx"
import { Listing } from "../shared/Listing.tsx"
import { usualStep } from "../shared/More.tsx"
import { Note } from "../shared/Note.tsx"
import { ButtonLink, PageLink } from "../shared/PageLink.tsx"
import { useZone } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import { nextOf } from "../shared/schedule.ts"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { Archived } from "./Archived.tsx"
import { archiveStrings } from "./archiveStrings.ts"
import { useCampaigns, useOffer, useRuns, useSegments } from "./audience.ts"
import { automationStrings } from "./automationStrings.ts"
import { CampaignResults } from "./CampaignResults.tsx"
import { actionWords, CampaignStatus, repeatWords } from "./CampaignWords.tsx"
import { campaignStrings } from "./campaignStrings.ts"
import { triggerWords } from "./TriggerWords.ts"

const CampaignWizards = later(() => import("../wizards/CampaignWizards.tsx"), "CampaignWizards")

const text = campaignStrings

const LastRun = ({ campaign_id }: { readonly campaign_id: string }) => {
  const zone = useZone()
  const { data } = useRuns(campaign_id, 1)
  if (data === undefined) return "…"
  const [run] = data
  if (run === undefined) return <Note>{text.noRun}</Note>
  return (
    <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }} search={{ run: run.run_id }}>
      {timeShort(run.started_at, zone)}
    </PageLink>
  )
}

/** How it repeats, and the next scheduled run. For a draft: the next one if it were activated now. */
const Next = ({ campaign }: { readonly campaign: Campaign }) => {
  const zone = useZone()
  const at = nextOf(campaign, useServiceNow())
  const none = campaign.schedule?.repeat === undefined ? text.when.none : text.noNext
  const words = at === undefined ? none : timeShort(at, zone)
  const next = at === undefined || campaign.next_run_at !== undefined ? words : text.onceActive(words)
  const how = repeatWords(campaign.schedule, zone)
  return (
    <Text size="sm" maw={300} c={campaign.next_run_at === undefined ? "dimmed" : ""}>
      {how === undefined ? next : text.repeats(how, next)}
    </Text>
  )
}

const List = (props: { readonly rows: ReadonlyArray<Campaign>; readonly label?: string }) => {
  const { label = strings.audience.campaigns, rows } = props
  const zone = useZone()
  const offer = useOffer()
  const segments = useSegments().data ?? []
  const segmentOf = ({ segment_id }: Campaign): string =>
    segment_id === undefined
      ? text.anybody
      : (segments.find((one) => one.segment_id === segment_id)?.name ?? segment_id)
  return (
    <Paper withBorder px="md" py="xs" radius="md">
      <Listing
        label={label}
        minWidth={860}
        rows={rows}
        step={usualStep}
        keyOf={({ campaign_id }) => campaign_id}
        columns={[
          {
            label: text.name,
            by: ({ name }) => name,
            cell: ({ campaign_id, name }) => (
              <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }}>
                {name}
              </PageLink>
            )
          },
          {
            label: text.status,
            by: ({ status }) => text.statuses[status],
            cell: ({ status }) => <CampaignStatus status={status} />
          },
          {
            label: text.segment,
            by: segmentOf,
            cell: (campaign) => {
              const { segment_id } = campaign
              if (segment_id === undefined) return text.anybody
              return (
                <PageLink to="/audience/segments/$segment_id" params={{ segment_id }}>
                  {segmentOf(campaign)}
                </PageLink>
              )
            }
          },
          {
            label: text.action,
            by: ({ action }) => actionWords(action, offer),
            cell: ({ action }) => actionWords(action, offer)
          },
          {
            label: automationStrings.whenIn(zone),
            cell: (campaign) =>
              campaign.trigger === undefined ? (
                <Next campaign={campaign} />
              ) : (
                <Text size="sm" maw={300}>
                  {triggerWords(campaign.trigger)}
                </Text>
              )
          },
          {
            label: text.last,
            cell: ({ campaign_id, trigger }) =>
              trigger === undefined ? <LastRun campaign_id={campaign_id} /> : <Note>{automationStrings.noRuns}</Note>
          }
        ]}
      />
    </Paper>
  )
}

export const Campaigns = () => {
  const may = useMay()
  const campaigns = useCampaigns()
  return (
    <Stack>
      <Handovers kinds={["campaign", "audience"]} />
      {may("putCampaign") ? (
        <>
          <Group>
            <ButtonLink to="/audience/campaigns/new">{text.create}</ButtonLink>
          </Group>
          <Suspense>
            <CampaignWizards />
          </Suspense>
        </>
      ) : undefined}
      <Shown query={campaigns}>
        {(all) => {
          const rows = all.filter(({ status }) => status !== "archived")
          return (
            <>
              {rows.length > 0 ? (
                <>
                  <List rows={rows} />
                  <CampaignResults campaigns={rows} />
                </>
              ) : (
                <Empty title={text.none}>{all.length === 0 ? text.noneHint : archiveStrings.allArchived}</Empty>
              )}
              <Archived rows={all.filter(({ status }) => status === "archived")}>
                {(archived) => <List rows={archived} label={archiveStrings.archived(archived.length)} />}
              </Archived>
            </>
          )
        }}
      </Shown>
    </Stack>
  )
}
