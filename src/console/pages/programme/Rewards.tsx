/** The rewards of an edited programme: cards, a short dialog for each, and the forms. */
import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core"
import { Schema } from "effect"
import { useState } from "react"
import { Reward } from "../../../contract/protocol/Program.ts"
import type { Draft } from "../../app/draft.ts"
import { money, number, timeShort } from "../../app/format.ts"
import { entryEffectOf, idOf, usualFunding, withEntry } from "../../app/rewards.ts"
import type { RewardEntry } from "../../app/rewards.ts"
import { rewardStrings as text } from "../../app/rewardStrings.ts"
import type { Field } from "../../app/shape.ts"
import { labelOf } from "../../app/words.ts"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Fields } from "../../ui/ShapeForm.tsx"
import { RewardDialog } from "./RewardDialog.tsx"

const isReward = Schema.is(Reward)

const getsInWords = ({ effect }: Reward): ReadonlyArray<string> => {
  switch (effect.type) {
    case "custom":
      return [text.own(effect.effect_type)]
    case "discount":
      return [effect.target === "order" ? text.off(money(effect.amount)) : text.offLines(money(effect.amount))]
    case "free_item": {
      const { category_ids, max_quantity: n, max_value, product_ids } = effect
      const isAny = category_ids === undefined && product_ids === undefined
      const of = [...(category_ids ?? []), ...(product_ids ?? [])].join(", ")
      return [text.free(n, number(n), money(max_value)), isAny ? text.freeOfAny : text.freeOf(of)]
    }
  }
}

const limitsInWords = ({ available_from, available_until }: Reward, zone: string): string => {
  const [from, until] = [available_from, available_until].map((at) => at && timeShort(at, zone))
  if (from && until) return `${text.fromUntil(from, until)} (${zone})`
  if (from) return `${text.from(from)} (${zone})`
  return until ? `${text.until(until)} (${zone})` : text.anyTime
}

const entryOf = (reward: Reward): RewardEntry => ({
  name: reward.name,
  cost: reward.cost.amount,
  effect: entryEffectOf(reward.effect),
  description: reward.description ?? "",
  picture: reward.image_url ?? ""
})

const RewardCard = (props: {
  readonly reward: unknown
  readonly place: number
  readonly currency: string
  readonly zone: string
  readonly onSave: (reward: Reward) => void
  readonly onRemove: (name: string) => void
}) => {
  const { currency, onRemove, onSave, place, zone } = props
  const reward = isReward(props.reward) ? props.reward : undefined
  const name = reward?.name ?? text.unnamed(place + 1)
  return (
    <Paper withBorder p="md" radius="md" component="article" aria-label={name}>
      <Stack gap={6} h="100%">
        <Text fw={600} style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        {reward === undefined ? (
          <Note>{text.incomplete}</Note>
        ) : (
          <>
            <Text size="sm" fw={600}>
              {text.costs(number(reward.cost.amount), labelOf(reward.cost.unit).toLowerCase())}
            </Text>
            {getsInWords(reward).map((one) => (
              <Text key={one} size="sm">
                {one}
              </Text>
            ))}
            {reward.description === undefined ? undefined : <Note>{reward.description}</Note>}
            <Note>{limitsInWords(reward, zone)}</Note>
            {reward.image_url === undefined ? undefined : (
              <Anchor size="sm" href={reward.image_url} target="_blank" rel="noreferrer">
                {text.shownPicture}
              </Anchor>
            )}
          </>
        )}
        <Group gap="xs" mt="auto" pt="xs">
          {reward === undefined ? undefined : (
            <RewardDialog
              label={text.edit}
              name={text.editOf(name)}
              entry={entryOf(reward)}
              unit={labelOf(reward.cost.unit).toLowerCase()}
              currency={currency}
              onSave={(entry) => onSave(withEntry(reward, entry, currency))}
            />
          )}
          <Button
            variant="subtle"
            color="red"
            size="xs"
            aria-label={text.removeOf(name)}
            onClick={() => onRemove(name)}
          >
            {text.remove}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

interface Removed {
  readonly at: number
  readonly reward: unknown
  readonly name: string
}

export const Rewards = (props: {
  readonly id: string
  readonly draft: Draft
  readonly primary: Reward["cost"]["unit"]
  readonly currency: string
  readonly zone: string
  /** True if a value of the forms below has a fault. */
  readonly isFaulty: boolean
  /** The properties of the definition that the forms change. */
  readonly fields: ReadonlyArray<Field>
  readonly onChange: (value: unknown) => void
}) => {
  const { currency, draft, fields, id, isFaulty, onChange, primary, zone } = props
  const [removed, setRemoved] = useState<Removed>()
  // What was opened stays open, also once its fault is gone.
  const [isOpen, setOpen] = useState(false)
  /** Counts the changes of cards. The forms keep what is typed, and begin anew with each of them. */
  const [changes, setChanges] = useState(0)
  const drafted = draft["rewards"]
  const rewards: ReadonlyArray<unknown> = Array.isArray(drafted) ? drafted : []
  const whole = rewards.filter(isReward)
  const funding = usualFunding(whole, id)
  const put = (next: ReadonlyArray<unknown>) => {
    onChange({ ...draft, rewards: next })
    setChanges(changes + 1)
  }
  const add = (entry: RewardEntry) => {
    const taken = rewards.map((one) =>
      typeof one === "object" && one !== null ? String(Reflect.get(one, "reward_id")) : ""
    )
    const blank: Reward = {
      reward_id: idOf(entry.name, taken),
      name: "",
      cost: { unit: primary, amount: 0 },
      effect: { type: "custom", effect_type: "", payload: null },
      funding
    }
    put([...rewards, withEntry(blank, entry, currency)])
  }
  return (
    <Stack>
      <Panel
        title={text.title}
        actions={
          <RewardDialog
            label={text.add}
            unit={labelOf(primary).toLowerCase()}
            currency={currency}
            payer={funding[0]?.party_id ?? id}
            onSave={add}
          />
        }
      >
        <Stack>
          {removed === undefined ? undefined : (
            <Group role="status" gap="xs">
              <Text size="sm">{text.removed(removed.name)}</Text>
              <Button
                variant="subtle"
                size="xs"
                onClick={() => {
                  put(rewards.toSpliced(removed.at, 0, removed.reward))
                  setRemoved(undefined)
                }}
              >
                {text.putBack}
              </Button>
            </Group>
          )}
          {rewards.length === 0 ? <Note>{text.none}</Note> : undefined}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {rewards.map((reward, at) => (
              <RewardCard
                // biome-ignore lint/suspicious/noArrayIndexKey: an id may be missing or there twice
                key={at}
                reward={reward}
                place={at}
                currency={currency}
                zone={zone}
                onSave={(next) => put(rewards.with(at, next))}
                onRemove={(name) => {
                  setRemoved({ at, reward, name })
                  put(rewards.toSpliced(at, 1))
                }}
              />
            ))}
          </SimpleGrid>
        </Stack>
      </Panel>
      <Paper withBorder p="md" radius="md">
        <details open={isOpen || isFaulty} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{text.advanced}</summary>
          <Stack mt="md">
            <Fields key={changes} fields={fields} path="" value={draft} onChange={onChange} />
          </Stack>
        </details>
      </Paper>
    </Stack>
  )
}
