/** Whether a promotion or a challenge of an edited programme runs. */

import { Status } from "../shared/Status.tsx"
import type { Section } from "./Cards.tsx"
import { isUnpublished } from "./Cards.tsx"
import { cardStrings as text } from "./cardStrings.ts"
import type { State } from "./promotionTimes.ts"
import { stateInWords, tones } from "./promotionWords.ts"

export const RunState = (props: {
  readonly section: Section
  readonly list: string
  /** The property that has the item's id. */
  readonly idName: string
  readonly item: object
  readonly state: State
}) => {
  const { idName, item, list, section, state } = props
  const isEnded = state.is === "off" || state.is === "over"
  return !isEnded && isUnpublished(section, list, idName, item) ? (
    <Status tone="waiting">{text.unpublished}</Status>
  ) : (
    <Status tone={tones[state.is]}>{stateInWords(state)}</Status>
  )
}
