/** Tells those who may not give, before and after a segment is saved, which active campaigns wait with its change. */
import { Alert, Stack, Text } from "@mantine/core"
import { putterWords } from "../handovers/putters.ts"
import { useMayGive } from "../shared/session.tsx"
import { useCampaigns, useSegments } from "./audience.ts"
import { CampaignLink } from "./CampaignLink.tsx"
import { segmentsIn } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"
import { groupOf } from "./segmentWire.ts"

const text = segmentStrings.waiting

/** Statuses that nobody ends without points:give, and those after the end. */
const resting = new Set(["draft", "archived", "completed", "expired"])

/** The active campaigns for a segment, or for one that names it, directly or through others. */
const useActiveUsers = (segment_id: string): ReadonlyArray<string> => {
  const segments = useSegments().data ?? []
  const campaigns = useCampaigns().data ?? []
  const named = segments.map((one) => ({
    id: one.segment_id,
    names: one.rules === undefined ? [] : segmentsIn(groupOf(one.rules))
  }))
  const users = new Set([segment_id])
  // A set's iteration includes what is added during it.
  for (const user of users) for (const { id, names } of named) if (names.includes(user)) users.add(id)
  return campaigns
    .filter((one) => !resting.has(one.status) && one.segment_id !== undefined && users.has(one.segment_id))
    .map(({ campaign_id }) => campaign_id)
}

const Named = ({ campaigns, told }: { readonly campaigns: ReadonlyArray<string>; readonly told: string }) => (
  <Stack gap={4} align="flex-start">
    <Text size="sm">{told}</Text>
    {campaigns.map((one) => (
      <CampaignLink key={one} campaign_id={one} />
    ))}
  </Stack>
)

export const WaitingCampaigns = (props: {
  readonly segment_id: string
  /** The campaigns that the last save told; undefined: none, or something has changed since. */
  readonly pendingFor: ReadonlyArray<string> | undefined
}) => {
  const users = useActiveUsers(props.segment_id)
  const mayGive = useMayGive("platform")
  if (props.pendingFor !== undefined)
    return (
      <Alert color="yellow" role="status" title={text.title}>
        <Named campaigns={props.pendingFor} told={text.after(putterWords("audience"))} />
      </Alert>
    )
  if (mayGive || users.length === 0) return undefined
  return (
    <Alert>
      <Named campaigns={users} told={text.before(putterWords("audience"))} />
    </Alert>
  )
}
