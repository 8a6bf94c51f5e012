/** Runs a campaign. Shows before how many members it reaches and what they get. */
import { Alert, Checkbox, Stack, Text } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { RunForecast } from "../../contract/platform/RunForecast.ts"
import { useForecast, useOffer, useSegment } from "../app/audience.ts"
import { call, client } from "../app/client.ts"
import { number, percent } from "../app/format.ts"
import { useRefresh } from "../app/refresh.ts"
import { campaignStrings } from "../app/campaignStrings.ts"
import { strings } from "../app/strings.ts"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { limitWords, rewardName, unitName } from "./CampaignWords.tsx"
import { Loading, sentenceOf } from "./States.tsx"

const platform = client(Campaigns)

const text = campaignStrings

interface PreviewProps {
  readonly campaign: Campaign
  readonly segment_id: string
  readonly forecast: RunForecast
}

const Preview = ({ campaign, forecast, segment_id }: PreviewProps) => {
  const offer = useOffer()
  const segment = useSegment(segment_id).data
  const { action, holdout_percent: held, limit } = campaign
  const { credit, issue_reward: reward } = action
  const { limit_left = Number.POSITIVE_INFINITY, open, selected, skipped } = forecast
  const holdout = Math.round((open * held) / 100)
  const given = Math.min(open - holdout, limit_left)
  const about = held === 0 ? text.upTo : text.about
  return (
    <Alert title={strings.member.preview} role="status">
      <Stack gap={4}>
        <Text size="sm">{text.runSize(segment?.name ?? segment_id, number(selected), strings.people(selected))}</Text>
        {skipped.map(({ code, count }) => (
          <Text key={code} size="sm">
            {text.runSkips[code](count, number(count))}
          </Text>
        ))}
        {held === 0 || open === 0 ? undefined : (
          <Text size="sm">{text.runHoldout(percent(held * 100), number(holdout))}</Text>
        )}
        {given > 0 ? undefined : (
          <Text size="sm" fw={600}>
            {text.runNobody}
          </Text>
        )}
        {reward === undefined || given === 0 ? undefined : (
          <Text size="sm" fw={600}>
            {text.runRewards(about, number(given), rewardName(offer, reward.reward_id))}
          </Text>
        )}
        {credit === undefined || given === 0 ? undefined : (
          <Text size="sm" fw={600}>
            {text.runCredits(
              about,
              number(given),
              number(credit.amount),
              number(given * credit.amount),
              unitName(offer, credit.unit, given * credit.amount)
            )}
          </Text>
        )}
        {limit === undefined ? undefined : <Text size="sm">{text.runLimit(limitWords(campaign, offer))}</Text>}
      </Stack>
    </Alert>
  )
}

interface RunNowProps {
  readonly campaign: Campaign
  readonly segment_id: string
  readonly hasRun: boolean
}

export const RunNow = ({ campaign, hasRun, segment_id }: RunNowProps) => {
  const { campaign_id } = campaign
  const refresh = useRefresh("runs", "campaign", "campaigns", "report")
  const navigate = useNavigate()
  const [isAgain, setAgain] = useState(false)
  // A run that includes those who were reached has a key of its own.
  const [freshKey] = useState(() => crypto.randomUUID())
  const forecast = useForecast(campaign_id, isAgain ? freshKey : undefined)
  return (
    <ChangeDialog
      label={text.run}
      begin={() => {
        setAgain(false)
        void forecast.refetch()
      }}
      isReady={forecast.data !== undefined}
      run={async (keyOf) => {
        const { run } = await call(
          platform.platform_campaigns.runCampaign({
            payload: { campaign_id, ...(isAgain ? { run_key: keyOf({ campaign_id }) } : {}) }
          })
        )
        refresh()
        await navigate({
          to: "/audience/campaigns/$campaign_id",
          params: { campaign_id },
          search: { run: run.run_id }
        })
      }}
    >
      {forecast.data !== undefined ? (
        <Preview campaign={campaign} segment_id={segment_id} forecast={forecast.data} />
      ) : forecast.error !== null ? (
        <Alert color="red">{sentenceOf(forecast.error)}</Alert>
      ) : (
        <Loading />
      )}
      {hasRun ? (
        <Checkbox
          label={text.runAgain}
          description={text.runOnce}
          checked={isAgain}
          onChange={({ currentTarget }) => setAgain(currentTarget.checked)}
        />
      ) : undefined}
    </ChangeDialog>
  )
}
