/** The challenges of an edited programme: cards, a short dialog for each, and the forms. */

import { Schema } from "effect"
import { Challenge } from "../../contract/Challenges.ts"
import { useSoldName } from "../shared/choosers/soldNames.ts"
import { useServiceNow } from "../shared/clock.ts"
import { useLocationName } from "../shared/locations.ts"
import { TakeBack } from "../shared/TakeBack.tsx"
import { takeBackStrings } from "../shared/takeBackStrings.ts"
import type { CardContent, Section } from "./Cards.tsx"
import { CardLines, Cards, takenIds, useCardList } from "./Cards.tsx"
import { ChallengeDialog } from "./ChallengeDialog.tsx"
import { cardStrings } from "./cardStrings.ts"
import { challengeStrings as text } from "./challengeStrings.ts"
import type { ChallengeEntry } from "./challenges.ts"
import { challengeEntryOf, withChallengeEntry } from "./challenges.ts"
import { challengeInWords } from "./challengeWords.ts"
import { namedIn } from "./named.ts"
import { localAt, stateAt } from "./promotionTimes.ts"
import { RunState } from "./RunState.tsx"
import { idOf } from "./rewards.ts"
import { SwitchOff } from "./SwitchOff.tsx"
import { zoneOf } from "./zone.ts"

const isChallenge = Schema.is(Challenge)

interface ChallengesProps {
  readonly section: Section
  readonly currency: string
  /** The programme's id. */
  readonly id: string
}

export const Challenges = ({ currency, id, section }: ChallengesProps) => {
  const { draft } = section
  const { changes, items, put } = useCardList(section, "challenges")
  const zone = zoneOf(draft)
  const now = localAt(useServiceNow(), zone)
  const placeOf = useLocationName()
  const soldOf = useSoldName()
  const rewards = namedIn(draft, "rewards", "reward_id")
  const published = namedIn(section.inForce, "challenges", "challenge_id")
  const dialog = { currency, zone, rewards }
  const add = (entry: ChallengeEntry) => {
    const challenge_id = idOf(entry.name, takenIds(items, "challenge_id"), "challenge")
    const blank: Challenge = { challenge_id, name: "", count: {}, gives: { reward_id: "" } }
    put([...items, withChallengeEntry(blank, entry, currency)])
  }
  const cardOf = (one: unknown, place: number, save: (next: Challenge) => void): CardContent => {
    if (!isChallenge(one)) return { name: text.unnamed(place + 1) }
    const state = stateAt(one, zone, now)
    return {
      name: one.name,
      body: (
        <>
          <RunState section={section} list="challenges" idName="challenge_id" item={one} state={state} />
          <CardLines {...challengeInWords(one, { currency, zone, rewards, placeOf, soldOf })} />
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
          {published.some(({ id: known }) => known === one.challenge_id) ? (
            <TakeBack
              program_id={id}
              cause={{ challenge_id: one.challenge_id }}
              name={takeBackStrings.ofChallenge(one.name)}
              hasRange
            />
          ) : undefined}
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
