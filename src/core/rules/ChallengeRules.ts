/** The rules of a programme file's challenges (contract/programmes.md *Checks of a file*). */
import type { Challenge } from "../../contract/Challenges.ts"
import { challengeKinds } from "../../contract/Challenges.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import type { Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import { checkOccasion, within } from "./PromotionRules.ts"

/** A challenge's valid properties; a malformed one is undefined. */
type Valid = { readonly [K in keyof Challenge]?: Challenge[K] | undefined }

/** The parts of a file whose own shape is valid. */
interface ValidParts {
  readonly currency?: string | undefined
  readonly challenges: { readonly items: ReadonlyArray<Valid | undefined> }
  readonly rewards: {
    readonly items: ReadonlyArray<{ readonly reward_id?: string | undefined } | undefined>
    readonly isWhole: boolean
  }
}

type Say = (path: string, sentence: Sentence) => void

const checkCount = (challenge: Valid, path: string, say: Say): void => {
  const { count, every } = challenge
  if (count === undefined) return
  const given = challengeKinds.filter((kind) => count[kind] !== undefined)
  if (given.length !== 1) say(`${path}/count`, said`must have exactly one of ${challengeKinds.join(", ")}`)
  if (every === "week") within(count.days, 1, 7, `${path}/count/days`, say)
  if (count.days !== undefined && (every === "year" || !("every" in challenge)))
    say(`${path}/every`, "must be week or month, because days are counted")
  if (count.weeks_in_a_row !== undefined && every !== undefined)
    say(`${path}/every`, "is not allowed with weeks_in_a_row, which go on over months and years")
  if (count.items !== undefined && !("on" in challenge))
    say(`${path}/on`, "is required with items: say which lines are counted")
}

/** Every violated rule, with place (JSON Pointer) and reason. */
export const challengeFaults = (draft: ValidParts): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say: Say = (path, sentence) => found.push(faultAt(path, sentence))
  const { challenges, rewards } = draft
  challenges.items.forEach((challenge, index) => {
    if (challenge === undefined) return
    const path = `/challenges/${index}`
    const { challenge_id: id } = challenge
    if (id !== undefined && challenges.items.findIndex((one) => one?.challenge_id === id) < index)
      say(`${path}/challenge_id`, "must be unique")
    checkCount(challenge, path, say)
    checkOccasion(draft, challenge, path, say)
    if (challenge.gives === undefined) return
    const { reward_id } = challenge.gives
    if (rewards.isWhole && !rewards.items.some((one) => one?.reward_id === undefined || one.reward_id === reward_id))
      say(`${path}/gives/reward_id`, "must name one of the rewards")
  })
  return found
}
