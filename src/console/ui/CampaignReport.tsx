/** A campaign's results: figures, and a comparison with the holdout in words. */
import { Paper, SimpleGrid, Stack, Text } from "@mantine/core"
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import type { Attribution } from "../../contract/platform/Attribution.ts"
import type { Report } from "../../contract/platform/Campaigns.ts"
import { money, number, percent, percentagePoints } from "../app/format.ts"
import { campaignStrings } from "../app/campaignStrings.ts"
import { strings } from "../app/strings.ts"
import { Note } from "./Note.tsx"

const text = campaignStrings

export const Figure = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Paper withBorder p="sm" radius="md">
    <Note>{label}</Note>
    <Text className="number" fz="h3" fw={700}>
      {value}
    </Text>
  </Paper>
)

/** A difference with its sign: `+1.8`. */
const pointsOf = (bps: number): string => `${bps < 0 ? "−" : "+"}${percentagePoints(bps)}`

/** What the comparison with the holdout says: the difference, and how certain it is. */
const liftWords = (attribution: Attribution): { readonly told: string; readonly certainty?: string } => {
  const { converted_members, holdout, lift_bps: bps, lift_interval_bps: range, targeted_members } = attribution
  if (targeted_members === 0) return { told: text.liftNobody }
  if (range === undefined) return { told: text.liftFew, certainty: text.liftNeeds(number(comparedMembers)) }
  if (converted_members + holdout.converted_members === 0) return { told: text.liftUnknown }
  const points = percentagePoints(bps)
  return {
    told: bps === 0 ? text.liftSame : bps > 0 ? text.liftMore(points) : text.liftLess(points),
    certainty: [
      text.liftRange(pointsOf(range.low), pointsOf(range.high)),
      ...(range.low <= 0 && range.high >= 0 ? [text.liftChance] : [])
    ].join(" ")
  }
}

export const CampaignReport = ({ attribution, campaign }: typeof Report.Type) => {
  const { attributed_value, conversion_rate_bps: rate, conversions, converted_members, holdout } = attribution
  const { targeted_members: targeted } = attribution
  const value = attributed_value.map(money).join(", ")
  const hasHoldout = holdout.members > 0
  const { certainty, told } = liftWords(attribution)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 3 }}>
        <Figure label={text.figures.targeted} value={number(targeted)} />
        <Figure label={text.figures.converted} value={number(converted_members)} />
        <Figure label={text.figures.conversions} value={number(conversions)} />
        <Figure label={text.figures.value} value={value === "" ? "–" : value} />
        <Figure label={text.figures.rate} value={percent(rate)} />
        {hasHoldout ? <Figure label={text.figures.heldRate} value={percent(holdout.conversion_rate_bps)} /> : undefined}
      </SimpleGrid>
      <Stack gap={4}>
        {hasHoldout ? (
          <>
            <Text fw={700} size="lg">
              {text.lift}: {told}
            </Text>
            {certainty === undefined ? undefined : <Text>{certainty}</Text>}
          </>
        ) : undefined}
        <Text>
          {text.targeted(number(targeted), strings.people(targeted))}{" "}
          {text.converted(number(converted_members), percent(rate), campaign.attribution_days)}{" "}
          {conversions === 0 ? text.noConversions : text.conversions(conversions, number(conversions), value)}
        </Text>
        <Text>
          {hasHoldout
            ? text.held(
                number(holdout.members),
                strings.people(holdout.members),
                text.did(holdout.members),
                number(holdout.converted_members),
                percent(holdout.conversion_rate_bps)
              )
            : text.noHeld}
        </Text>
      </Stack>
    </Stack>
  )
}
