/** Gifts of a run now: how many members it reaches and what they get. */
import { Text } from "@mantine/core"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { RunForecast } from "../../contract/platform/RunForecast.ts"
import { number, percent } from "../shared/format.ts"
import { strings } from "../shared/strings.ts"
import { useOffer, useSegment } from "./audience.ts"
import { limitWords, rewardName, unitName } from "./CampaignWords.tsx"
import { runOf } from "./campaignCost.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { GiftCost } from "./GiftCost.tsx"
import { MailLack } from "./MailShown.tsx"

const text = campaignStrings

/** Words for what a campaign gives so many times: `24 × “Free bowl”`, or `1,200 Points`. */
export const useGiven = ({ credit, issue_reward: reward }: Campaign["action"]): ((times: number) => string) => {
  const offer = useOffer()
  return (times) => {
    if (reward !== undefined) return text.rewards(number(times), rewardName(offer, reward.reward_id))
    const points = times * (credit?.amount ?? 0)
    return text.givesCredit(number(points), unitName(offer, credit?.unit, points))
  }
}

interface MailLinesProps {
  readonly campaign: Campaign
  readonly mail: NonNullable<RunForecast["mail"]>
  readonly most: number
}

/** Guests who would get the campaign's mail, and why others would not. */
const MailLines = ({ campaign, mail, most }: MailLinesProps) => {
  const mails = Math.min(mail.open, most)
  return (
    <>
      <Text size="sm" fw={600}>
        {text.mail.would(mails, number(mails))}
      </Text>
      <MailLack campaign={campaign} />
      {mail.without.map(({ code, count }) => (
        <Text key={code} size="sm">
          {text.mail.without[code](count, number(count))}
        </Text>
      ))}
    </>
  )
}

interface RunPreviewProps {
  readonly campaign: Campaign
  readonly segment_id: string
  readonly forecast: RunForecast
}

export const RunPreview = ({ campaign, forecast, segment_id }: RunPreviewProps) => {
  const offer = useOffer()
  const segment = useSegment(segment_id).data
  const { action, holdout_percent: held, limit } = campaign
  const { credit, issue_reward: reward } = action
  const { mail, open, selected, skipped } = forecast
  const { given, heldOut } = runOf(forecast, held)
  const about = held === 0 ? text.upTo : text.about
  return (
    <>
      <Text size="sm">{text.runSize(segment?.name ?? segment_id, number(selected), strings.people(selected))}</Text>
      {skipped.map(({ code, count }) => (
        <Text key={code} size="sm">
          {text.runSkips[code](count, number(count))}
        </Text>
      ))}
      {held === 0 || open === 0 ? undefined : (
        <Text size="sm">{text.runHoldout(percent(held * 100), number(heldOut))}</Text>
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
      {given === 0 ? undefined : <GiftCost isFirst action={action} words={(costOf) => text.cost.run(costOf(given))} />}
      {mail === undefined ? undefined : <MailLines campaign={campaign} mail={mail} most={given} />}
      {limit === undefined ? undefined : <Text size="sm">{text.runLimit(limitWords(campaign, offer))}</Text>}
    </>
  )
}
