/** The rewards of an edited programme: cards, a short dialog for each, and the forms. */

import { Anchor } from "@mantine/core"
import { Schema } from "effect"
import { Reward } from "../../contract/protocol/Program.ts"
import { useSoldName } from "../shared/choosers/soldNames.ts"
import { Note } from "../shared/Note.tsx"
import { labelWithin } from "../shared/words/words.ts"
import type { Section } from "./Cards.tsx"
import { CardLines, Cards, takenIds, useCardList } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import { RewardDialog } from "./RewardDialog.tsx"
import { rewardStrings as text } from "./rewardStrings.ts"
import type { RewardEntry } from "./rewards.ts"
import { entryEffectOf, idOf, usualFunding, withEntry } from "./rewards.ts"
import { availableInWords, rewardInWords } from "./rewardWords.ts"

const isReward = Schema.is(Reward)

const entryOf = (reward: Reward): RewardEntry => ({
  name: reward.name,
  cost: reward.cost.amount,
  effect: entryEffectOf(reward.effect),
  description: reward.description ?? "",
  picture: reward.image_url ?? ""
})

const RewardBody = ({ reward, zone }: { readonly reward: Reward; readonly zone: string }) => {
  const soldOf = useSoldName()
  return (
    <>
      <CardLines {...rewardInWords(reward, soldOf)} />
      <Note>{availableInWords(reward, zone)}</Note>
      {reward.image_url === undefined ? undefined : (
        <Anchor size="sm" href={reward.image_url} target="_blank" rel="noreferrer">
          {text.shownPicture}
        </Anchor>
      )}
    </>
  )
}

export const Rewards = (props: {
  readonly id: string
  readonly section: Section
  readonly primary: Reward["cost"]["unit"]
  readonly currency: string
  readonly zone: string
}) => {
  const { currency, id, primary, section, zone } = props
  const { changes, items, put } = useCardList(section, "rewards")
  const funding = usualFunding(items.filter(isReward), id)
  const add = (entry: RewardEntry) => {
    const blank: Reward = {
      reward_id: idOf(entry.name, takenIds(items, "reward_id")),
      name: "",
      cost: { unit: primary, amount: 0 },
      effect: { type: "custom", effect_type: "", payload: null },
      funding
    }
    put([...items, withEntry(blank, entry, currency)])
  }
  const cardOf = (reward: unknown, place: number, save: (next: Reward) => void) => {
    if (!isReward(reward)) return { name: text.unnamed(place + 1) }
    const { name } = reward
    return {
      name,
      body: <RewardBody reward={reward} zone={zone} />,
      actions: (
        <RewardDialog
          label={cardStrings.edit}
          name={cardStrings.editOf(name)}
          entry={entryOf(reward)}
          unit={labelWithin(reward.cost.unit)}
          currency={currency}
          onSave={(entry) => save(withEntry(reward, entry, currency))}
        />
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
      add={
        <RewardDialog
          label={text.add}
          unit={labelWithin(primary)}
          currency={currency}
          payer={funding[0]?.party_id ?? id}
          onSave={add}
        />
      }
    />
  )
}
