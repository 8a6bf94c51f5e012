/** The programme's campaigns with their segments, actions and schedules. */
import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { useCampaigns, useOffer, useRuns, useSegments, useServiceNow } from "../app/audience.ts"
import { timeShort } from "../app/format.ts"
import { useZone } from "../app/program.tsx"
import { nextOf } from "../app/schedule.ts"
import { useMay } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { actionWords, CampaignStatus } from "../ui/CampaignWords.tsx"
import { Listing } from "../ui/Listing.tsx"
import { useFirst } from "../ui/More.tsx"
import { Empty, Shown } from "../ui/States.tsx"

const text = strings.campaigns

const LastRun = ({ campaign_id }: Pick<Campaign, "campaign_id">) => {
  const zone = useZone()
  const { data } = useRuns(campaign_id, 1)
  if (data === undefined) return "…"
  const [run] = data
  if (run === undefined)
    return (
      <Text size="sm" c="dimmed">
        {text.noRun}
      </Text>
    )
  return (
    <Anchor
      renderRoot={(props) => (
        <Link {...props} to="/audience/campaigns/$campaign_id" params={{ campaign_id }} search={{ run: run.run_id }} />
      )}
      size="sm"
    >
      {timeShort(run.started_at, zone)}
    </Anchor>
  )
}

/** The next scheduled run. For a draft: the next one if it were activated now. */
const Next = ({ campaign }: { readonly campaign: Campaign }) => {
  const zone = useZone()
  const at = nextOf(campaign, useServiceNow())
  const words = at === undefined ? text.noNext : timeShort(at, zone)
  return (
    <Text size="sm" c={campaign.next_run_at === undefined ? "dimmed" : ""}>
      {at === undefined || campaign.next_run_at !== undefined ? words : text.onceActive(words)}
    </Text>
  )
}

const List = ({ rows }: { readonly rows: ReadonlyArray<Campaign> }) => {
  const zone = useZone()
  const offer = useOffer()
  const segments = useSegments().data ?? []
  const [shown, more] = useFirst(rows)
  return (
    <>
      <Paper withBorder px="md" py="xs" radius="md">
        <Listing
          label={strings.audience.campaigns}
          minWidth={860}
          rows={shown}
          keyOf={({ campaign_id }) => campaign_id}
          columns={[
            {
              label: text.name,
              cell: ({ campaign_id, name }) => (
                <Anchor
                  renderRoot={(props) => (
                    <Link {...props} to="/audience/campaigns/$campaign_id" params={{ campaign_id }} />
                  )}
                  size="sm"
                >
                  {name}
                </Anchor>
              )
            },
            { label: text.status, cell: ({ status }) => <CampaignStatus status={status} /> },
            {
              label: text.segment,
              cell: ({ segment_id }) => (
                <Anchor
                  renderRoot={(props) => (
                    <Link {...props} to="/audience/segments/$segment_id" params={{ segment_id }} />
                  )}
                  size="sm"
                >
                  {segments.find((one) => one.segment_id === segment_id)?.name ?? segment_id}
                </Anchor>
              )
            },
            { label: text.action, cell: ({ action }) => actionWords(action, offer) },
            { label: `${text.next} (${zone})`, cell: (campaign) => <Next campaign={campaign} /> },
            { label: text.last, cell: ({ campaign_id }) => <LastRun campaign_id={campaign_id} /> }
          ]}
        />
      </Paper>
      {more}
    </>
  )
}

export const Campaigns = () => {
  const may = useMay()
  const campaigns = useCampaigns()
  const segments = useSegments()
  const hasSegments = segments.data === undefined || segments.data.length > 0
  return (
    <Stack>
      {may("platform:write") && hasSegments ? (
        <Group>
          <Button renderRoot={(props) => <Link {...props} to="/audience/campaigns/new" />}>{text.create}</Button>
        </Group>
      ) : undefined}
      <Shown query={campaigns}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={text.none}>
              {text.noneHint} {hasSegments ? undefined : text.noneNoSegment}{" "}
              {hasSegments || !may("platform:write") ? undefined : (
                <Anchor renderRoot={(props) => <Link {...props} to="/audience/segments/new" />} size="sm">
                  {strings.segments.create}
                </Anchor>
              )}
            </Empty>
          ) : (
            <List rows={rows} />
          )
        }
      </Shown>
    </Stack>
  )
}
