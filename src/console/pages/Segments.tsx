/** The programme's segments: how many members each has now, and what uses it. */
import { Anchor, Badge, Button, Group, Stack, Table, Text } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { Segment } from "../../contract/platform/Segments.ts"
import { useCampaigns, useEstimate, useSegments } from "../app/audience.ts"
import { number } from "../app/format.ts"
import { groupOf, segmentsIn } from "../app/segmentRules.ts"
import { useMay } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { useFirst } from "../ui/More.tsx"
import { Empty, sentenceOf, Shown } from "../ui/States.tsx"
import { Wide } from "../ui/Wide.tsx"

const text = strings.segments

const Size = ({ segment: { member_count, mode, segment_id } }: { readonly segment: Segment }) => {
  const { data, error } = useEstimate(mode === "dynamic" ? { segment_id } : undefined, 0)
  if (mode === "static") return number(member_count ?? 0)
  if (error !== null)
    return (
      <Text size="sm" c="red">
        {sentenceOf(error)}
      </Text>
    )
  return data === undefined ? "…" : number(data.estimated_size)
}

const Uses = ({
  campaigns,
  segments
}: {
  readonly campaigns: ReadonlyArray<Campaign>
  readonly segments: ReadonlyArray<Segment>
}) => {
  if (campaigns.length + segments.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {text.unused}
      </Text>
    )
  return (
    <Stack gap={2}>
      {campaigns.map(({ campaign_id, name }) => (
        <Anchor
          key={campaign_id}
          renderRoot={(props) => <Link {...props} to="/audience/campaigns/$campaign_id" params={{ campaign_id }} />}
          size="sm"
        >
          {name}
        </Anchor>
      ))}
      {segments.map(({ name, segment_id }) => (
        <Anchor
          key={segment_id}
          renderRoot={(props) => <Link {...props} to="/audience/segments/$segment_id" params={{ segment_id }} />}
          size="sm"
        >
          {name}
        </Anchor>
      ))}
    </Stack>
  )
}

const List = ({ rows }: { readonly rows: ReadonlyArray<Segment> }) => {
  const campaigns = useCampaigns().data ?? []
  const [shown, more] = useFirst(rows)
  const named = rows.map(({ rules }) => (rules === undefined ? [] : segmentsIn(groupOf(rules))))
  return (
    <>
      <Wide label={strings.audience.segments} minWidth={620}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.name}</Table.Th>
              <Table.Th>{text.kind}</Table.Th>
              <Table.Th ta="right">{text.size}</Table.Th>
              <Table.Th>{text.usedBy}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((segment) => (
              <Table.Tr key={segment.segment_id}>
                <Table.Td>
                  <Anchor
                    renderRoot={(props) => (
                      <Link
                        {...props}
                        to="/audience/segments/$segment_id"
                        params={{ segment_id: segment.segment_id }}
                      />
                    )}
                  >
                    {segment.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Badge variant="default">{text.kinds[segment.mode]}</Badge>
                </Table.Td>
                <Table.Td className="number" ta="right">
                  <Size segment={segment} />
                </Table.Td>
                <Table.Td>
                  <Uses
                    campaigns={campaigns.filter(({ segment_id }) => segment_id === segment.segment_id)}
                    segments={rows.filter((_, index) => named[index]?.includes(segment.segment_id))}
                  />
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

export const Segments = () => {
  const may = useMay()
  const segments = useSegments()
  return (
    <Stack>
      {may("platform:write") ? (
        <Group>
          <Button renderRoot={(props) => <Link {...props} to="/audience/segments/new" />}>{text.create}</Button>
        </Group>
      ) : undefined}
      <Shown query={segments}>
        {(rows) => (rows.length === 0 ? <Empty title={text.none}>{text.noneHint}</Empty> : <List rows={rows} />)}
      </Shown>
    </Stack>
  )
}
