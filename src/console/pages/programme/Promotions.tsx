/** The promotions of an edited programme: cards, a short dialog for each, a week's calendar, and what they give. */
import { Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Schema } from "effect"
import { ManagedPromotions } from "../../../contract/admin/Promotions.ts"
import { Promotion } from "../../../contract/Promotions.ts"
import { cardStrings } from "../../app/cardStrings.ts"
import { call, client } from "../../app/client.ts"
import { useServiceNow } from "../../app/clock.ts"
import { money, number } from "../../app/format.ts"
import { useLocationName } from "../../app/locations.ts"
import type { PromotionEntry } from "../../app/promotions.ts"
import { promotionEntryOf, withPromotionEntry } from "../../app/promotions.ts"
import { promotionStrings as text } from "../../app/promotionStrings.ts"
import { localAt, stateAt } from "../../app/promotionTimes.ts"
import { idOf } from "../../app/rewards.ts"
import { Note } from "../../ui/Note.tsx"
import { Status } from "../../ui/Status.tsx"
import type { CardContent, Section } from "./Cards.tsx"
import { Advanced, Cards, isUnpublished, takenIds, useCardList } from "./Cards.tsx"
import { onInWords, whenInWords, whereInWords } from "./occasionWords.ts"
import { PromotionCalendar } from "./PromotionCalendar.tsx"
import { PromotionDialog } from "./PromotionDialog.tsx"
import { PromotionFigures } from "./PromotionFigures.tsx"
import { PromotionTrial } from "./PromotionTrial.tsx"
import { effectInWords, pointsInWords, stateInWords, tones } from "./promotionWords.ts"
import { SwitchOff } from "./SwitchOff.tsx"
import { tiersOf } from "./tiers.ts"
import type { NamedTier } from "./tiers.ts"
import { zoneOf } from "./zone.ts"

const admin = client(ManagedPromotions)
const isPromotion = Schema.is(Promotion)

const useFigures = (id: string) =>
  useQuery({
    queryKey: ["promotions", id],
    queryFn: () => call(admin.promotions.promotionFigures({ params: { program_id: id }, query: {} }))
  })

type Figures = NonNullable<ReturnType<typeof useFigures>["data"]>

const whoInWords = ({ who }: Promotion, tiers: ReadonlyArray<NamedTier>): ReadonlyArray<string> => {
  const nameOf = (id: string) => tiers.find((tier) => tier.id === id)?.name ?? id
  const { first_order, joined_within_days: days, tier_ids } = who ?? {}
  return [
    ...(tier_ids === undefined ? [] : [text.guestsOf(tier_ids.map(nameOf).join(", "))]),
    ...(first_order === true ? [text.firstOrder] : []),
    ...(days === undefined ? [] : [text.joined(days, number(days))])
  ]
}

const limitsInWords = ({ limits, minimum_spend }: Promotion): ReadonlyArray<string> => {
  const limit = limits?.per_member
  return [
    ...(minimum_spend === undefined ? [] : [text.spendFrom(money(minimum_spend))]),
    ...(limit === undefined ? [] : [text.oftenest(limit.count, number(limit.count))[limit.every]])
  ]
}

const usesInWords = (figure: Figures["promotions"][number] | undefined): string =>
  figure === undefined || figure.with.count === 0
    ? text.unused
    : text.used(figure.with.count, number(figure.with.count), pointsInWords(figure.points))

export const Promotions = (props: {
  readonly id: string
  readonly section: Section
  readonly primary: string
  readonly currency: string
}) => {
  const { currency, id, primary, section } = props
  const { draft } = section
  const { changes, items, put } = useCardList(section, "promotions")
  const figures = useFigures(id)
  const zone = zoneOf(draft)
  const tiers = tiersOf(draft)
  const placeOf = useLocationName()
  // What is not complete yet has a fault at its field.
  const promotions = items.filter(isPromotion)
  const now = localAt(useServiceNow(), zone)
  const dialog = { currency, zone, tiers }
  const add = (entry: PromotionEntry) => {
    const promotion_id = idOf(entry.name, takenIds(items, "promotion_id"), "promotion")
    put([...items, withPromotionEntry({ promotion_id, name: "", effect: {} }, entry, currency)])
  }
  const cardOf = (one: unknown, place: number, save: (next: Promotion) => void): CardContent => {
    if (!isPromotion(one)) return { name: text.unnamed(place + 1) }
    const { description, name, promotion_id } = one
    const state = stateAt(one, zone, now)
    const lines = [
      ...onInWords(one.on),
      ...whenInWords(one.when, zone),
      ...whereInWords(one.where, placeOf),
      ...whoInWords(one, tiers),
      ...limitsInWords(one)
    ]
    return {
      name,
      body: (
        <>
          {isUnpublished(section, "promotions", "promotion_id", one) && state.is !== "off" && state.is !== "over" ? (
            <Status tone="waiting">{cardStrings.unpublished}</Status>
          ) : (
            <Status tone={tones[state.is]}>{stateInWords(state)}</Status>
          )}
          <Text size="sm" fw={600}>
            {effectInWords(one, primary)}
          </Text>
          {lines.map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
          {description === undefined ? undefined : <Note>{description}</Note>}
          <Note>{usesInWords(figures.data?.promotions.find((figure) => figure.promotion_id === promotion_id))}</Note>
        </>
      ),
      actions: (
        <>
          <PromotionDialog
            {...dialog}
            label={cardStrings.edit}
            name={cardStrings.editOf(name)}
            entry={promotionEntryOf(one)}
            hasTags={one.on?.tags !== undefined}
            onSave={(entry) => save(withPromotionEntry(one, entry, currency))}
          />
          <SwitchOff of={one} onChange={save} />
        </>
      )
    }
  }
  return (
    <Stack>
      <Cards
        title={text.title}
        none={text.none}
        items={items}
        isReadOnly={section.isReadOnly}
        cardOf={cardOf}
        onChange={put}
        add={<PromotionDialog {...dialog} label={text.add} onSave={add} />}
      />
      <PromotionCalendar promotions={promotions} zone={zone} now={now} />
      <PromotionTrial id={id} draft={draft} promotions={promotions} />
      <PromotionFigures query={figures} promotions={promotions} />
      <Advanced label={text.advanced} section={section} changes={changes} />
    </Stack>
  )
}
