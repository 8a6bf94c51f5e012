/** The programme's segments with their present sizes and uses. */
import { Group, Paper, Stack, Text } from "@mantine/core"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { Segment } from "../../contract/platform/Segments.ts"
import { number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { usualStep } from "../shared/More.tsx"
import { Note } from "../shared/Note.tsx"
import { ButtonLink, PageLink } from "../shared/PageLink.tsx"
import { Empty, Shown, sentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { Archived } from "./Archived.tsx"
import { archiveStrings } from "./archiveStrings.ts"
import { useCampaigns, useEstimate, useSegments } from "./audience.ts"
import { segmentsIn } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"
import { groupOf } from "./segmentWire.ts"

const text = segmentStrings

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
  if (campaigns.length + segments.length === 0) return <Note>{text.unused}</Note>
  return (
    <Stack gap={2} className="links">
      {campaigns.map(({ campaign_id, name }) => (
        <PageLink key={campaign_id} to="/audience/campaigns/$campaign_id" params={{ campaign_id }}>
          {name}
        </PageLink>
      ))}
      {segments.map(({ name, segment_id }) => (
        <PageLink key={segment_id} to="/audience/segments/$segment_id" params={{ segment_id }}>
          {name}
        </PageLink>
      ))}
    </Stack>
  )
}

const List = (props: {
  readonly rows: ReadonlyArray<Segment>
  /** All segments, which may use those of the rows. */
  readonly all: ReadonlyArray<Segment>
  readonly label?: string
}) => {
  const { all, label = strings.audience.segments, rows } = props
  const campaigns = useCampaigns().data ?? []
  const named = all.map(({ rules }) => (rules === undefined ? [] : segmentsIn(groupOf(rules))))
  return (
    <Paper withBorder px="md" py="xs" radius="md">
      <Listing
        label={label}
        minWidth={620}
        rows={rows}
        step={usualStep}
        keyOf={({ segment_id }) => segment_id}
        columns={[
          {
            label: text.name,
            by: ({ name }) => name,
            cell: ({ name, segment_id }) => (
              <PageLink to="/audience/segments/$segment_id" params={{ segment_id }}>
                {name}
              </PageLink>
            )
          },
          { label: text.kind, by: ({ mode }) => text.kinds[mode], cell: ({ mode }) => text.kinds[mode] },
          { label: text.size, isNumber: true, cell: (segment) => <Size segment={segment} /> },
          {
            label: text.usedBy,
            cell: ({ segment_id: id }) => (
              <Uses
                campaigns={campaigns.filter(({ segment_id }) => segment_id === id)}
                segments={all.filter((_, index) => named[index]?.includes(id))}
              />
            )
          }
        ]}
      />
    </Paper>
  )
}

export const Segments = () => {
  const may = useMay()
  const segments = useSegments()
  return (
    <Stack>
      {may("putSegment") ? (
        <Group>
          <ButtonLink to="/audience/segments/new">{text.create}</ButtonLink>
        </Group>
      ) : undefined}
      <Shown query={segments}>
        {(all) => {
          const rows = all.filter(({ archived_at }) => archived_at === undefined)
          return (
            <>
              {rows.length > 0 ? (
                <List rows={rows} all={all} />
              ) : (
                <Empty title={text.none}>{all.length === 0 ? text.noneHint : archiveStrings.allArchived}</Empty>
              )}
              <Archived rows={all.filter(({ archived_at }) => archived_at !== undefined)}>
                {(archived) => <List rows={archived} all={all} label={archiveStrings.archived(archived.length)} />}
              </Archived>
            </>
          )
        }}
      </Shown>
    </Stack>
  )
}
