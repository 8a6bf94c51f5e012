/** The change of a campaign's audience that waits: who comes and goes by it, and its confirmation. */
import { Alert, Group, Stack, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { PendingAudience as Pending } from "../../contract/platform/PendingAudience.ts"
import { PendingAudiences } from "../../contract/platform/PendingAudience.ts"
import { HandOver } from "../handovers/HandOver.tsx"
import { handoverStrings } from "../handovers/handoverStrings.ts"
import { putterWords, useHandsOver, useMayPut } from "../handovers/putters.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { number } from "../shared/format.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Refused } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { usePendingAudience, useSegments } from "./audience.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { Sampled } from "./Estimate.tsx"

const platform = client(PendingAudiences)

const text = campaignStrings.pending

interface MembersProps {
  readonly count: number
  readonly sample: ReadonlyArray<string>
  readonly told: string
}

const Members = ({ count, sample, told }: MembersProps) => {
  const introduced = sample.length < count ? text.some(told) : text.all(told)
  return (
    <Group gap="xs" style={{ overflowWrap: "anywhere" }}>
      <Text size="sm" fw={600}>
        {sample.length === 0 ? `${told}.` : introduced}
      </Text>
      {sample.map((id) => (
        <Sampled key={id} member_id={id} />
      ))}
    </Group>
  )
}

/** Members who come and who go. */
export const Moves = ({ audience }: { readonly audience: typeof Pending.Type }) => {
  const { comes, comes_sample, goes, goes_sample } = audience
  return (
    <>
      {comes === 0 ? undefined : (
        <Members count={comes} sample={comes_sample} told={text.comes(comes, number(comes))} />
      )}
      {goes === 0 ? undefined : <Members count={goes} sample={goes_sample} told={text.goes(goes, number(goes))} />}
      {comes + goes > 0 ? undefined : <Text size="sm">{text.nobody}</Text>}
    </>
  )
}

const Confirm = ({ audience }: { readonly audience: typeof Pending.Type }) => {
  const { campaign_id, seen } = audience
  const queries = useQueryClient()
  const refreshShown = useRefresh("pending audience")
  return (
    <ChangeDialog
      label={text.confirm}
      begin={refreshShown}
      run={async () => {
        if (seen === undefined) return
        const payload = { campaign_id, seen }
        const confirmed = await call(platform.platform_pending_audiences.confirmAudience({ payload }))
        queries.setQueryData(["pending audience", campaign_id], confirmed.audience)
      }}
      done={useRefresh("forecast", "runs", "campaign", "attention")}
    >
      <Alert title={strings.member.preview} role="status">
        <Stack gap={4}>
          <Text size="sm">{text.preview}</Text>
          <Moves audience={audience} />
        </Stack>
      </Alert>
    </ChangeDialog>
  )
}

export const PendingAudience = ({ campaign: { campaign_id, name } }: { readonly campaign: Campaign }) => {
  const { data, error } = usePendingAudience(campaign_id)
  const segments = useSegments().data ?? []
  const mayConfirm = useMayPut("audience")
  const handsOver = useHandsOver("audience")
  if (error !== null) return <Refused error={error} />
  if (data === undefined || data.pending_segments.length === 0) return undefined
  return (
    <Alert color="yellow" title={text.title}>
      <Stack gap="xs" align="flex-start">
        <Group gap="xs">
          <Text size="sm">{text.changed}</Text>
          {data.pending_segments.map((segment_id) => (
            <PageLink key={segment_id} to="/audience/segments/$segment_id" params={{ segment_id }}>
              {segments.find((one) => one.segment_id === segment_id)?.name ?? segment_id}
            </PageLink>
          ))}
        </Group>
        <Moves audience={data} />
        {mayConfirm ? <Confirm audience={data} /> : <Text size="sm">{text.others(putterWords("audience"))}</Text>}
        {handsOver ? (
          <HandOver what={{ type: "audience", campaign_id }} does={handoverStrings.does.audience(name)} />
        ) : undefined}
      </Stack>
    </Alert>
  )
}
