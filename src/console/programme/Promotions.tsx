/** The promotions of an edited programme: cards, a short dialog for each, a week's calendar, and what they give. */

import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Schema } from "effect"
import { ManagedPromotions } from "../../contract/admin/PromotionFigures.ts"
import { Promotion } from "../../contract/Promotions.ts"
import { useSoldName } from "../shared/choosers/soldNames.ts"
import { call, client } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { dayBefore, number } from "../shared/format.ts"
import { useLocationName } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { useZone } from "../shared/program.tsx"
import { defaultRange } from "../today/todaySearch.ts"
import type { CardContent, Section } from "./Cards.tsx"
import { CardLines, Cards, takenIds, useCardList } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import { namedIn } from "./named.ts"
import { PromotionCalendar } from "./PromotionCalendar.tsx"
import { PromotionDialog } from "./PromotionDialog.tsx"
import { PromotionFigures } from "./PromotionFigures.tsx"
import { PromotionTrial } from "./PromotionTrial.tsx"
import { promotionStrings as text } from "./promotionStrings.ts"
import type { PromotionEntry } from "./promotions.ts"
import { promotionEntryOf, withPromotionEntry } from "./promotions.ts"
import { localAt, stateAt } from "./promotionTimes.ts"
import { pointsInWords, promotionInWords } from "./promotionWords.ts"
import { RunState } from "./RunState.tsx"
import { idOf } from "./rewards.ts"
import { SwitchOff } from "./SwitchOff.tsx"
import { zoneOf } from "./zone.ts"

const admin = client(ManagedPromotions)
const isPromotion = Schema.is(Promotion)

/** Of the days that Today shows at first. */
const useFigures = (id: string) => {
  const from = dayBefore(new Date(useServiceNow()).toISOString(), useZone(), defaultRange - 1)
  return useQuery({
    queryKey: ["promotions", id, from],
    placeholderData: keepPreviousData,
    queryFn: () => call(admin.promotions.promotionFigures({ params: { program_id: id }, query: { from } }))
  })
}

type Figures = NonNullable<ReturnType<typeof useFigures>["data"]>

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
  const tiers = namedIn(draft, "tiers", "tier_id")
  const placeOf = useLocationName()
  const soldOf = useSoldName()
  // A promotion that is not complete yet has a fault at its field.
  const promotions = items.filter(isPromotion)
  const now = localAt(useServiceNow(), zone)
  const dialog = { currency, zone, tiers }
  const add = (entry: PromotionEntry) => {
    const promotion_id = idOf(entry.name, takenIds(items, "promotion_id"), "promotion")
    put([...items, withPromotionEntry({ promotion_id, name: "", effect: {} }, entry, currency)])
  }
  const cardOf = (one: unknown, place: number, save: (next: Promotion) => void): CardContent => {
    if (!isPromotion(one)) return { name: text.unnamed(place + 1) }
    const { name, promotion_id } = one
    const state = stateAt(one, zone, now)
    return {
      name,
      body: (
        <>
          <RunState section={section} list="promotions" idName="promotion_id" item={one} state={state} />
          <CardLines {...promotionInWords(one, { primary, zone, tiers, placeOf, soldOf })} />
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
    <Cards
      text={text}
      section={section}
      changes={changes}
      items={items}
      cardOf={cardOf}
      onChange={put}
      add={<PromotionDialog {...dialog} label={text.add} onSave={add} />}
    >
      <PromotionCalendar promotions={promotions} zone={zone} now={now} />
      <PromotionTrial id={id} draft={draft} promotions={promotions} />
      <PromotionFigures query={figures} promotions={promotions} />
    </Cards>
  )
}
