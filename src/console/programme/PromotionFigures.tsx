/** Figures of each promotion: orders and spend with and without it. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { PromotionFigures as Shape } from "../../contract/admin/PromotionFigures.ts"
import type { Promotion } from "../../contract/Promotions.ts"
import { money, number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { Shown } from "../shared/States.tsx"
import { promotionStrings as text } from "./promotionStrings.ts"
import { pointsInWords } from "./promotionWords.ts"

export const PromotionFigures = (props: {
  readonly query: UseQueryResult<Shape>
  readonly promotions: ReadonlyArray<Promotion>
}) => {
  const { promotions, query } = props
  const nameOf = (id: string) => promotions.find(({ promotion_id }) => promotion_id === id)?.name ?? text.removed(id)
  return (
    <Panel title={text.figures}>
      <Shown query={query}>
        {({ promotions: rows }) => (
          <>
            <Note mb="xs">{text.figuresHint}</Note>
            <Listing
              label={text.figures}
              minWidth={640}
              rows={rows}
              keyOf={({ promotion_id }) => promotion_id}
              columns={[
                {
                  label: text.name,
                  by: ({ promotion_id }) => nameOf(promotion_id),
                  cell: ({ promotion_id }) => nameOf(promotion_id)
                },
                { label: text.given, isNumber: true, cell: ({ points }) => pointsInWords(points) },
                {
                  label: text.with,
                  isNumber: true,
                  by: (one) => one.with.count,
                  cell: (one) => number(one.with.count)
                },
                {
                  label: text.withSpend,
                  isNumber: true,
                  by: (one) => one.with.average.amount,
                  cell: (one) => money(one.with.average)
                },
                {
                  label: text.without,
                  isNumber: true,
                  by: (one) => one.without.count,
                  cell: (one) => number(one.without.count)
                },
                {
                  label: text.withoutSpend,
                  isNumber: true,
                  by: (one) => one.without.average.amount,
                  cell: (one) => money(one.without.average)
                }
              ]}
            />
          </>
        )}
      </Shown>
    </Panel>
  )
}
