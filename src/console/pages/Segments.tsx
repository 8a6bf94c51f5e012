/** The programme's segments with their present sizes and uses. */
import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { Segment } from "../../contract/platform/Segments.ts"
import { useCampaigns, useEstimate, useSegments } from "../app/audience.ts"
import { number } from "../app/format.ts"
import { segmentsIn } from "../app/segmentRules.ts"
import { groupOf } from "../app/segmentWire.ts"
import { useMay } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { Listing } from "../ui/Listing.tsx"
import { useFirst } from "../ui/More.tsx"
import { Empty, sentenceOf, Shown } from "../ui/States.tsx"

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
      <Paper withBorder px="md" py="xs" radius="md">
        <Listing
          label={strings.audience.segments}
          minWidth={620}
          rows={shown}
          keyOf={({ segment_id }) => segment_id}
          columns={[
            {
              label: text.name,
              cell: ({ name, segment_id }) => (
                <Anchor
                  renderRoot={(props) => (
                    <Link {...props} to="/audience/segments/$segment_id" params={{ segment_id }} />
                  )}
                  size="sm"
                >
                  {name}
                </Anchor>
              )
            },
            { label: text.kind, cell: ({ mode }) => text.kinds[mode] },
            { label: text.size, isNumber: true, cell: (segment) => <Size segment={segment} /> },
            {
              label: text.usedBy,
              cell: ({ segment_id: id }) => (
                <Uses
                  campaigns={campaigns.filter(({ segment_id }) => segment_id === id)}
                  segments={rows.filter((_, index) => named[index]?.includes(id))}
                />
              )
            }
          ]}
        />
      </Paper>
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
