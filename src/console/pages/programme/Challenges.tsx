/** The challenges of an edited programme: cards, a short dialog for each, and the forms. */
import { Schema } from "effect"
import { Challenge, challengeKinds } from "../../../contract/Challenges.ts"
import { cardStrings } from "../../app/cardStrings.ts"
import type { ChallengeEntry } from "../../app/challenges.ts"
import { challengeEntryOf, daysOf, withChallengeEntry } from "../../app/challenges.ts"
import { challengeStrings as text } from "../../app/challengeStrings.ts"
import { useServiceNow } from "../../app/clock.ts"
import { money, number } from "../../app/format.ts"
import { useLocationName } from "../../app/locations.ts"
import { localAt, stateAt } from "../../app/promotionTimes.ts"
import { idOf } from "../../app/rewards.ts"
import type { CardContent, Section } from "./Cards.tsx"
import { CardLines, Cards, takenIds, useCardList } from "./Cards.tsx"
import { ChallengeDialog } from "./ChallengeDialog.tsx"
import { namedIn, nameIn } from "./named.ts"
import { onInWords, whenInWords, whereInWords } from "./occasionWords.ts"
import { RunState } from "./RunState.tsx"
import { SwitchOff } from "./SwitchOff.tsx"
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

const usableInWords = ({ gives }: Challenge): ReadonlyArray<string> => {
  const days = daysOf(gives)
  return days === undefined ? [] : [text.usable(days, number(days))]
}

export const Challenges = (props: { readonly section: Section; readonly currency: string }) => {
  const { currency, section } = props
  const { draft } = section
  const { changes, items, put } = useCardList(section, "challenges")
  const zone = zoneOf(draft)
  const now = localAt(useServiceNow(), zone)
  const placeOf = useLocationName()
  const rewards = namedIn(draft, "rewards", "reward_id")
  const dialog = { currency, zone, rewards }
  const rewardOf = (id: string): string => (id === "" ? text.noReward : nameIn(rewards, id))
  const add = (entry: ChallengeEntry) => {
    const challenge_id = idOf(entry.name, takenIds(items, "challenge_id"), "challenge")
    const blank: Challenge = { challenge_id, name: "", count: {}, gives: { reward_id: "" } }
    put([...items, withChallengeEntry(blank, entry, currency)])
  }
  const cardOf = (one: unknown, place: number, save: (next: Challenge) => void): CardContent => {
    if (!isChallenge(one)) return { name: text.unnamed(place + 1) }
    const state = stateAt(one, zone, now)
    const lines = [
      text.gives(rewardOf(one.gives.reward_id)),
      ...usableInWords(one),
      ...onInWords(one.on),
      ...whenInWords(one.when, zone),
      ...whereInWords(one.where, placeOf)
    ]
    return {
      name: one.name,
      body: (
        <>
          <RunState section={section} list="challenges" idName="challenge_id" item={one} state={state} />
          <CardLines first={asksInWords(one, currency)} lines={lines} description={one.description} />
        </>
      ),
      actions: (
        <>
          <ChallengeDialog
            {...dialog}
            label={cardStrings.edit}
            name={cardStrings.editOf(one.name)}
            entry={challengeEntryOf(one)}
            hasTags={one.on?.tags !== undefined}
            onSave={(entry) => save(withChallengeEntry(one, entry, currency))}
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
      add={<ChallengeDialog {...dialog} label={text.add} onSave={add} />}
    />
  )
}
