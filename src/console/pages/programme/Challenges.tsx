/** The challenges of an edited programme: each in words, and the forms. */
import { Paper, Stack } from "@mantine/core"
import { Schema } from "effect"
import { Challenge, challengeKinds } from "../../../contract/Challenges.ts"
import { challengeStrings as text } from "../../app/challengeStrings.ts"
import type { Draft } from "../../app/draft.ts"
import { money, number } from "../../app/format.ts"
import { promotionStrings } from "../../app/promotionStrings.ts"
import { localAt, stateAt } from "../../app/promotionTimes.ts"
import { useServiceNow } from "../../app/clock.ts"
import type { Field } from "../../app/shape.ts"
import { Listing } from "../../ui/Listing.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Fields } from "../../ui/ShapeForm.tsx"
import { Status } from "../../ui/Status.tsx"
import { stateInWords, tones } from "./promotionWords.ts"
import { zoneOf } from "./zone.ts"

const isChallenge = Schema.is(Challenge)

/** “3 items in a month of some products, as often as it fills”. */
const asksInWords = ({ count, every, minimum_spend, on, repeat }: Challenge, currency: string): string => {
  const kind = challengeKinds.find((one) => count[one] !== undefined)
  const n = kind === undefined ? 0 : (count[kind] ?? 0)
  const counted = () => {
    if (kind === undefined) return text.nothing
    return kind === "spend" ? text.spends(money({ amount: n, currency })) : text.counts[kind](n, number(n))
  }
  const parts = [
    counted(),
    ...(on === undefined ? [] : [text.ofSome]),
    ...(minimum_spend === undefined ? [] : [text.withSpend(money(minimum_spend))]),
    ...(every === undefined ? [] : [text.every[every]])
  ]
  return `${parts.join(" ")}, ${repeat === true ? text.repeats : text.once}`
}

export const Challenges = (props: {
  readonly draft: Draft
  readonly currency: string
  /** The properties of the definition that the forms change. */
  readonly fields: ReadonlyArray<Field>
  readonly onChange: (value: unknown) => void
}) => {
  const { currency, draft, fields, onChange } = props
  const zone = zoneOf(draft)
  const now = localAt(useServiceNow(), zone)
  const drafted = draft["challenges"]
  // What is not complete yet has a fault at its field.
  const challenges = Array.isArray(drafted) ? drafted.filter(isChallenge) : []
  const rewards = Array.isArray(draft["rewards"]) ? (draft["rewards"] as ReadonlyArray<Partial<Reward>>) : []
  const rewardOf = (id: string): string =>
    id === "" ? text.noReward : (rewards.find(({ reward_id }) => reward_id === id)?.name ?? id)
  return (
    <Stack>
      <Panel title={text.title}>
        {challenges.length === 0 ? (
          <Note>{text.none}</Note>
        ) : (
          <Listing
            label={text.title}
            minWidth={520}
            rows={challenges}
            keyOf={({ challenge_id }) => challenge_id}
            columns={[
              { label: text.name, cell: ({ name }) => name },
              {
                label: promotionStrings.state,
                cell: (one) => {
                  const state = stateAt(one, zone, now)
                  return <Status tone={tones[state.is]}>{stateInWords(state)}</Status>
                }
              },
              { label: text.asks, cell: (one) => asksInWords(one, currency) },
              { label: text.gives, cell: ({ gives }) => rewardOf(gives.reward_id) }
            ]}
          />
        )}
      </Panel>
      <Paper withBorder p="md" radius="md">
        <Fields fields={fields} path="" value={draft} onChange={onChange} />
      </Paper>
    </Stack>
  )
}

interface Reward {
  readonly reward_id: string
  readonly name: string
}
