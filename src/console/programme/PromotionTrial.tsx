/** Tries the edited promotions on the orders of last week. */
import { Button, Stack, Text } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { ManagedPromotions } from "../../contract/admin/PromotionFigures.ts"
import type { Promotion } from "../../contract/Promotions.ts"
import { call, client } from "../shared/client.ts"
import { number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { Refused } from "../shared/States.tsx"
import type { Draft } from "./draft.ts"
import { promotionStrings as text } from "./promotionStrings.ts"
import { pointsInWords } from "./promotionWords.ts"

const admin = client(ManagedPromotions)

export const PromotionTrial = (props: {
  readonly id: string
  readonly draft: Draft
  readonly promotions: ReadonlyArray<Promotion>
}) => {
  const { draft, id, promotions } = props
  const trial = useMutation({
    mutationFn: () =>
      call(admin.promotions.previewPromotions({ params: { program_id: id }, payload: { program: draft } }))
  })
  const nameOf = (id: string) => promotions.find(({ promotion_id }) => promotion_id === id)?.name ?? id
  const { data } = trial
  return (
    <Panel title={text.trial}>
      <Stack align="flex-start">
        <Note>{text.trialHint}</Note>
        <Button variant="default" size="xs" loading={trial.isPending} onClick={() => trial.mutate()}>
          {text.try}
        </Button>
        <Refused error={trial.error} />
        {data === undefined ? undefined : (
          <>
            <Text role="status">
              {[
                text.tried(data.orders, number(data.orders)),
                ...(data.all_taken ? [] : [text.partial]),
                data.points.length === 0 ? text.togetherNothing : text.together(pointsInWords(data.points))
              ].join(" ")}
            </Text>
            {data.promotions.length === 0 ? undefined : (
              <Listing
                label={text.trial}
                minWidth={360}
                rows={data.promotions}
                keyOf={({ promotion_id }) => promotion_id}
                columns={[
                  { label: text.name, cell: ({ promotion_id }) => nameOf(promotion_id) },
                  { label: text.orders, isNumber: true, cell: ({ orders }) => number(orders) },
                  { label: text.given, isNumber: true, cell: ({ points }) => pointsInWords(points) }
                ]}
              />
            )}
            {data.untried.length === 0 ? undefined : <Note>{text.untried(data.untried.map(nameOf).join(", "))}</Note>}
            <Note>{text.caveat}</Note>
          </>
        )}
      </Stack>
    </Panel>
  )
}
