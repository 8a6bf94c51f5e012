/** The promotions of an edited programme: what runs, the forms, a week's calendar, and what they give. */
import { Paper, Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Schema } from "effect"
import { ManagedPromotions } from "../../../contract/admin/Promotions.ts"
import { Promotion } from "../../../contract/Promotions.ts"
import { call, client } from "../../app/client.ts"
import { useServiceNow } from "../../app/clock.ts"
import type { Draft } from "../../app/draft.ts"
import { number } from "../../app/format.ts"
import { promotionStrings as text } from "../../app/promotionStrings.ts"
import { localAt, stateAt } from "../../app/promotionTimes.ts"
import type { Field } from "../../app/shape.ts"
import { Listing } from "../../ui/Listing.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Fields } from "../../ui/ShapeForm.tsx"
import { Status } from "../../ui/Status.tsx"
import { PromotionCalendar } from "./PromotionCalendar.tsx"
import { PromotionFigures } from "./PromotionFigures.tsx"
import { PromotionTrial } from "./PromotionTrial.tsx"
import { effectInWords, pointsInWords, stateInWords, tones } from "./promotionWords.ts"
import { zoneOf } from "./zone.ts"

const admin = client(ManagedPromotions)
const isPromotion = Schema.is(Promotion)

const useFigures = (id: string) =>
  useQuery({
    queryKey: ["promotions", id],
    queryFn: () => call(admin.promotions.promotionFigures({ params: { program_id: id }, query: {} }))
  })

export const Promotions = (props: {
  readonly id: string
  readonly draft: Draft
  readonly primary: string
  /** The properties of the definition that the forms change. */
  readonly fields: ReadonlyArray<Field>
  readonly onChange: (value: unknown) => void
}) => {
  const { draft, fields, id, onChange, primary } = props
  const figures = useFigures(id)
  const zone = zoneOf(draft)
  const drafted = draft["promotions"]
  // What is not complete yet has a fault at its field.
  const promotions = Array.isArray(drafted) ? drafted.filter(isPromotion) : []
  const now = localAt(useServiceNow(), zone)
  const figureOf = (promotion: string) => figures.data?.promotions.find((one) => one.promotion_id === promotion)
  return (
    <Stack>
      <Panel title={text.title}>
        {promotions.length === 0 ? (
          <Note>{text.none}</Note>
        ) : (
          <Listing
            label={text.title}
            minWidth={520}
            rows={promotions}
            keyOf={({ promotion_id }) => promotion_id}
            columns={[
              { label: text.name, cell: ({ name }) => name },
              {
                label: text.state,
                cell: (one) => {
                  const state = stateAt(one, zone, now)
                  return <Status tone={tones[state.is]}>{stateInWords(state)}</Status>
                }
              },
              { label: text.gives, cell: (one) => effectInWords(one, primary) },
              {
                label: text.uses,
                isNumber: true,
                cell: ({ promotion_id }) => number(figureOf(promotion_id)?.with.count ?? 0)
              },
              {
                label: text.points,
                isNumber: true,
                cell: ({ promotion_id }) => pointsInWords(figureOf(promotion_id)?.points ?? [])
              }
            ]}
          />
        )}
      </Panel>
      <Paper withBorder p="md" radius="md">
        <Fields fields={fields} path="" value={draft} onChange={onChange} />
      </Paper>
      <PromotionCalendar promotions={promotions} zone={zone} now={now} />
      <PromotionTrial id={id} draft={draft} promotions={promotions} />
      <PromotionFigures query={figures} promotions={promotions} />
    </Stack>
  )
}
