/** The programme's campaigns: what each gives to whom, and when. */
import { Anchor, Button, Group, Stack, Table, Text } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { useCampaigns, useOffer, useRuns, useSegments } from "../app/audience.ts"
import { timeShort } from "../app/format.ts"
import { useZone } from "../app/program.tsx"
import { useMay } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { actionWords, CampaignStatus } from "../ui/CampaignWords.tsx"
import { useFirst } from "../ui/More.tsx"
import { Empty, Shown } from "../ui/States.tsx"
import { Wide } from "../ui/Wide.tsx"

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

const List = ({ rows }: { readonly rows: ReadonlyArray<Campaign> }) => {
  const zone = useZone()
  const offer = useOffer()
  const segments = useSegments().data ?? []
  const [shown, more] = useFirst(rows)
  return (
    <>
      <Wide label={strings.audience.campaigns} minWidth={860}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.name}</Table.Th>
              <Table.Th>{text.status}</Table.Th>
              <Table.Th>{text.segment}</Table.Th>
              <Table.Th>{text.action}</Table.Th>
              <Table.Th>{`${text.next} (${zone})`}</Table.Th>
              <Table.Th>{text.last}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ action, campaign_id, name, next_run_at, segment_id, status }) => (
              <Table.Tr key={campaign_id}>
                <Table.Td>
                  <Anchor
                    renderRoot={(props) => (
                      <Link {...props} to="/audience/campaigns/$campaign_id" params={{ campaign_id }} />
                    )}
                  >
                    {name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <CampaignStatus status={status} />
                </Table.Td>
                <Table.Td>
                  <Anchor
                    renderRoot={(props) => (
                      <Link {...props} to="/audience/segments/$segment_id" params={{ segment_id }} />
                    )}
                    size="sm"
                  >
                    {segments.find((one) => one.segment_id === segment_id)?.name ?? segment_id}
                  </Anchor>
                </Table.Td>
                <Table.Td>{actionWords(action, offer)}</Table.Td>
                <Table.Td>
                  {next_run_at === undefined ? (
                    <Text size="sm" c="dimmed">
                      {text.noNext}
                    </Text>
                  ) : (
                    timeShort(next_run_at, zone)
                  )}
                </Table.Td>
                <Table.Td>
                  <LastRun campaign_id={campaign_id} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Wide>
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
