/** Consequences of a campaign's activation: its first run, how often it gives something, and what that costs. */
import { Alert, Stack, Text } from "@mantine/core"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { RunForecast } from "../../contract/platform/RunForecast.ts"
import { useServiceNow } from "../shared/clock.ts"
import { number, time } from "../shared/format.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { useZone } from "../shared/program.tsx"
import { Loading, sentenceOf } from "../shared/States.tsx"
import { isOver, monthDays, mostCounted, occurrencesInMonth, occurrencesOf } from "../shared/schedule.ts"
import { strings } from "../shared/strings.ts"
import { useForecast, useOffer } from "./audience.ts"
import { automationStrings } from "./automationStrings.ts"
import { actionWords, limitWords, repeatWords } from "./CampaignWords.tsx"
import { monthOf, mostGifts } from "./campaignCost.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { GiftCost } from "./GiftCost.tsx"
import { MailLack, MailShown } from "./MailShown.tsx"
import { RunPreview, useGiven } from "./RunPreview.tsx"
import { frequencyWords, givingWords } from "./TriggerWords.ts"

const text = campaignStrings

interface Props {
  readonly campaign: Campaign
}

/** That the same member gets it again each time, and where to bound it. */
const Again = ({ campaign: { campaign_id }, told }: Props & { readonly told: string }) => (
  <Text size="sm" fw={600}>
    {told}{" "}
    <PageLink to="/audience/campaigns/$campaign_id/edit" params={{ campaign_id }} underline="always">
      {text.bound}
    </PageLink>
  </Text>
)

/** How often it runs in a month, and what it gives in it. */
const Month = ({ campaign, forecast, runs }: Props & { readonly forecast: RunForecast; readonly runs: number }) => {
  const zone = useZone()
  const given = useGiven(campaign.action)
  const { others, same } = monthOf(forecast, campaign, runs)
  const shown = runs === mostCounted ? `${number(runs)}+` : number(runs)
  return (
    <>
      <Text size="sm">{text.repeat(repeatWords(campaign.schedule, zone) ?? "", runs, shown, monthDays)}</Text>
      {campaign.frequency === undefined ? (
        <Again campaign={campaign} told={text.again} />
      ) : (
        <Text size="sm">{text.atMost(frequencyWords(campaign.frequency))}</Text>
      )}
      <Text size="sm" fw={600}>
        {same === others
          ? text.month(monthDays, given(same))
          : text.monthBetween(monthDays, given(same), given(others))}
      </Text>
      <GiftCost
        action={campaign.action}
        words={(costOf) =>
          same === others
            ? text.cost.month(costOf(same))
            : text.cost.monthBetween(costOf(Math.min(same, others)), costOf(Math.max(same, others)))
        }
      />
    </>
  )
}

/** The most that it costs in all, if its limit says so. */
const InAll = ({ campaign }: Props) => {
  const most = mostGifts(campaign)
  return most === undefined ? undefined : (
    <GiftCost action={campaign.action} words={(costOf) => text.cost.limit(costOf(most))} />
  )
}

const Scheduled = ({ campaign, first }: Props & { readonly first: number }) => {
  const zone = useZone()
  const now = useServiceNow()
  const { schedule, segment_id = "" } = campaign
  // The key of a scheduled run is the time of its occurrence.
  const at = new Date(first).toISOString()
  const forecast = useForecast(campaign, at)
  const runs = occurrencesInMonth(schedule, now)
  return (
    <>
      <Text size="sm">{text.activateFirst(time(at, schedule?.repeat?.time_zone ?? zone))}</Text>
      {forecast.data !== undefined ? (
        <>
          <RunPreview campaign={campaign} segment_id={segment_id} forecast={forecast.data} />
          {runs > 1 ? <Month campaign={campaign} forecast={forecast.data} runs={runs} /> : undefined}
        </>
      ) : forecast.error !== null ? (
        <Text size="sm" c="var(--mantine-color-error)">
          {sentenceOf(forecast.error)}
        </Text>
      ) : (
        <Loading />
      )}
    </>
  )
}

/** Of a campaign with a trigger, nobody knows how often that happens. */
const Triggered = ({ campaign }: Props) => {
  const offer = useOffer()
  const { action, frequency, limit, mail, trigger } = campaign
  if (trigger === undefined) return undefined
  const isUnbounded = trigger.once === "event" && trigger.to !== "referrer"
  return (
    <>
      <Text size="sm">{automationStrings.activate}</Text>
      <Text size="sm" fw={600}>
        {text.gives(actionWords(action, offer), givingWords(trigger))}
      </Text>
      {frequency !== undefined ? (
        <Text size="sm">{text.atMost(frequencyWords(frequency))}</Text>
      ) : isUnbounded ? (
        <Again campaign={campaign} told={text.againEvent} />
      ) : undefined}
      {mail === undefined ? undefined : <Text size="sm">{text.mail.each(mail.subject)}</Text>}
      <MailLack campaign={campaign} />
      {limit === undefined ? undefined : <Text size="sm">{text.stopsAt(limitWords(campaign, offer))}</Text>}
      <GiftCost isFirst action={action} words={(costOf) => text.cost.each(costOf(1))} />
    </>
  )
}

export const Activation = ({ campaign }: Props) => {
  const { schedule, segment_id, trigger } = campaign
  const now = useServiceNow()
  const [first] = occurrencesOf(schedule, now)
  return (
    <Alert title={strings.member.preview} role="status">
      <Stack gap={4}>
        {isOver(schedule, now) ? (
          <Text size="sm" fw={600}>
            {text.activateOver}
          </Text>
        ) : trigger !== undefined ? (
          <Triggered campaign={campaign} />
        ) : first === undefined || segment_id === undefined ? (
          <>
            <Text size="sm">{text.activateNone}</Text>
            <MailLack campaign={campaign} />
            <GiftCost isFirst action={campaign.action} words={(costOf) => text.cost.gift(costOf(1))} />
          </>
        ) : (
          <>
            <Text size="sm">{text.activatePreview}</Text>
            <Scheduled campaign={campaign} first={first} />
          </>
        )}
        {isOver(schedule, now) ? undefined : <InAll campaign={campaign} />}
        {campaign.mail === undefined ? undefined : (
          <Text size="sm" fw={600}>
            {text.mail.preview}
          </Text>
        )}
        <MailShown campaign={campaign} />
      </Stack>
    </Alert>
  )
}
