/** A campaign's results: figures, and a comparison with the holdout in words. */

import { Paper, SimpleGrid, Stack, Text } from "@mantine/core"
import type { Attribution } from "../../contract/platform/Attribution.ts"
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import type { Report } from "../../contract/platform/Campaigns.ts"
import { useServiceNow } from "../shared/clock.ts"
import { localDay, money, number, percent, percentagePoints, roundedPercent, signedPoints } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { useProgram, useZone } from "../shared/program.tsx"
import type { Amount } from "../shared/spreadsheets/csv.ts"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { strings } from "../shared/strings.ts"
import { useOffer } from "./audience.ts"
import { unitName } from "./CampaignWords.tsx"
import type { Result } from "./campaignResults.ts"
import { costNotes, isKnown, resultOf } from "./campaignResults.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { resultStrings } from "./resultStrings.ts"

const text = campaignStrings

type ReportShown = typeof Report.Type

export const Figure = ({
  hint,
  label,
  value
}: {
  readonly label: string
  readonly value: string
  readonly hint?: string | undefined
}) => (
  <Paper withBorder p="sm" radius="md">
    <Note>{label}</Note>
    <Text className="number" fz="h3" fw={700}>
      {value}
    </Text>
    {hint === undefined ? undefined : <Note size="xs">{hint}</Note>}
  </Paper>
)

/** Result of the comparison with the holdout: the difference, and how certain it is. */
const liftWords = (attribution: Attribution): { readonly told: string; readonly certainty?: string } => {
  const { converted_members, holdout, lift_bps: bps, lift_interval_bps: range, targeted_members } = attribution
  if (targeted_members === 0) return { told: text.liftNobody }
  if (range === undefined) return { told: text.liftFew, certainty: text.liftNeeds(number(comparedMembers)) }
  if (converted_members + holdout.converted_members === 0) return { told: text.liftUnknown }
  const points = percentagePoints(bps)
  return {
    told: bps === 0 ? text.liftSame : bps > 0 ? text.liftMore(points) : text.liftLess(points),
    certainty: [
      text.liftRange(signedPoints(range.low), signedPoints(range.high)),
      ...(range.low <= 0 && range.high >= 0 ? [text.liftChance] : [])
    ].join(" ")
  }
}

interface Row {
  readonly label: string
  readonly value: string
  readonly hint?: string | undefined
  /** The value in a file, with its unit if it has one. */
  readonly cells: readonly [value: number | Amount | undefined, unit?: string]
}

const counted = (label: string, value: number): Row => ({ label, value: number(value), cells: [value] })

const rate = (label: string, bps: number): Row => ({ label, value: percent(bps), cells: [roundedPercent(bps), "%"] })

/** Of these, those that are used: `12 (8.3%)`. */
const used = (issued: number, redeemed: number): Row => ({
  label: text.figures.used,
  value: issued === 0 ? number(redeemed) : text.shareOf(number(redeemed), percent((redeemed / issued) * 10_000)),
  cells: [redeemed]
})

const mailNames = ["sent", "waiting", "failed", "in_doubt", "skipped", "unsubscribed", "rehearsed"] as const

/** Figures of its mails: sent and unsubscribed ones, and others where there are some. */
const mailRows = (mailed: ReportShown["mailed"]): ReadonlyArray<Row> =>
  mailed === undefined
    ? []
    : mailNames.flatMap((name) => {
        const value = mailed[name] ?? 0
        return value > 0 || name === "sent" || name === "unsubscribed" ? [counted(text.mail.figures[name], value)] : []
      })

/** The cost as far as it is known, and what it is reckoned by. */
const costRow = (result: Result): Row => {
  const { cost } = result
  return {
    label: resultStrings.cost,
    value: isKnown(result) ? money(cost) : "–",
    hint: costNotes(result).join(", ") || undefined,
    cells: isKnown(result) ? [cost, cost.currency] : [undefined]
  }
}

/** A campaign's figures: whom it reached, what that cost, and what came of it. */
const useRows = (report: ReportShown): ReadonlyArray<Row> => {
  const {
    attribution,
    given: { points, rewards_issued, rewards_redeemed },
    mailed
  } = report
  const offer = useOffer()
  const primary = useProgram().data?.program.accounts.find(({ is_primary }) => is_primary)?.unit
  const { attributed_value, conversions, converted_members, holdout, targeted_members } = attribution
  const hasHoldout = holdout.members > 0
  return [
    counted(text.figures.targeted, targeted_members),
    ...(rewards_issued === 0
      ? []
      : [counted(text.figures.rewards, rewards_issued), used(rewards_issued, rewards_redeemed)]),
    ...points.map(({ amount, unit }) => counted(text.figures.points(unitName(offer, unit, 0)), amount)),
    ...(rewards_issued === 0 && points.length === 0 ? [] : [costRow(resultOf(report, primary))]),
    ...mailRows(mailed),
    counted(text.figures.converted, converted_members),
    counted(text.figures.conversions, conversions),
    ...(attributed_value.length === 0 ? [{ label: text.figures.value, value: "–", cells: [0] as const }] : []),
    ...attributed_value.map((sum) => ({
      label: text.figures.value,
      value: money(sum),
      hint: hasHoldout ? undefined : text.noEffect,
      cells: [sum, sum.currency] as const
    })),
    rate(text.figures.rate, attribution.conversion_rate_bps),
    ...(hasHoldout ? [rate(text.figures.heldRate, holdout.conversion_rate_bps)] : [])
  ]
}

/** Saves the figures as a file, with what a comparison says. */
export const SaveReport = ({ report }: { readonly report: ReportShown }) => {
  const zone = useZone()
  const now = useServiceNow()
  const rows = useRows(report)
  const { attribution, campaign } = report
  const day = localDay(new Date(now).toISOString(), zone)
  const { certainty, told } = liftWords(attribution)
  return (
    <SaveFigures
      title={text.resultsOf(campaign.name, day)}
      rows={() => [
        [text.file.figure, text.file.value, text.file.unit, text.file.note],
        ...rows.map(({ cells: [value, unit], hint, label }) => [label, value, unit, hint]),
        ...(attribution.holdout.members === 0
          ? []
          : [
              [
                text.lift,
                roundedPercent(attribution.lift_bps),
                text.file.points,
                [told, certainty].filter(Boolean).join(". ")
              ]
            ])
      ]}
    />
  )
}

export const CampaignReport = (report: ReportShown) => {
  const { attribution, campaign } = report
  const { attributed_value, conversion_rate_bps: rate, conversions, converted_members, holdout } = attribution
  const { targeted_members: targeted } = attribution
  const value = attributed_value.map(money).join(", ")
  const hasHoldout = holdout.members > 0
  const { certainty, told } = liftWords(attribution)
  const rows = useRows(report)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 3 }}>
        {rows.map(({ hint, label, value: shown }) => (
          <Figure key={label} label={label} value={shown} hint={hint} />
        ))}
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
