/** Runs a campaign. Shows before how many members it reaches and what they get. */
import { Alert, Checkbox, Stack } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import { call, client, Worded } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { isOutdated, Loading, sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { useForecast } from "./audience.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { RunPreview } from "./RunPreview.tsx"

const platform = client(Campaigns)

const text = campaignStrings

interface RunNowProps {
  readonly campaign: Campaign
  readonly segment_id: string
  readonly hasRun: boolean
}

export const RunNow = ({ campaign, hasRun, segment_id }: RunNowProps) => {
  const { campaign_id, version } = campaign
  const refreshShown = useRefresh("campaign", "segment", "forecast")
  const refresh = useRefresh("runs", "campaign", "campaigns", "report")
  const navigate = useNavigate()
  const [isAgain, setAgain] = useState(false)
  // A run that includes those who were reached has a key of its own.
  const [freshKey] = useState(() => crypto.randomUUID())
  const forecast = useForecast(campaign, isAgain ? freshKey : undefined)
  return (
    <ChangeDialog
      label={text.run}
      begin={() => {
        setAgain(false)
        refreshShown()
      }}
      isReady={forecast.data !== undefined}
      run={async (keyOf) => {
        // The run is of the campaign that is shown, not of one that it became meanwhile.
        const seen = forecast.data === undefined ? {} : { seen: forecast.data.seen }
        const run_key = isAgain ? { run_key: keyOf({ campaign_id }) } : {}
        const payload = { campaign_id, expected_version: version, ...seen, ...run_key }
        const { run } = await call(platform.platform_campaigns.runCampaign({ payload })).catch((error) => {
          if (!isOutdated(error)) throw error
          refreshShown()
          throw new Worded(text.outdated)
        })
        refresh()
        await navigate({
          to: "/audience/campaigns/$campaign_id",
          params: { campaign_id },
          search: { run: run.run_id }
        })
      }}
    >
      {forecast.data !== undefined ? (
        <Alert title={strings.member.preview} role="status">
          <Stack gap={4}>
            <RunPreview campaign={campaign} segment_id={segment_id} forecast={forecast.data} />
          </Stack>
        </Alert>
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
