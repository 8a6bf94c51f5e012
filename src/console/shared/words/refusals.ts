/** Refusals as sentences for people. `problems.ts` loads this at the first one. */
import type { ProblemCode } from "../../../contract/protocol/Problem.ts"
import { catalogueOf } from "./catalogue.ts"
import { detailStrings } from "./detailStrings.ts"
import { termText } from "./labels.ts"
import { problemStrings, wholeProblems } from "./problemStrings.ts"

const texts: Readonly<Partial<Record<ProblemCode, string>>> = problemStrings

const details = catalogueOf(detailStrings)

export const detailKey = details.keyOf
export const detailText = (detail: string): string => details.tell(detail, termText)

/** `detail`: the service's own sentence. It is told as it is if the catalogue has no words for it. */
export const refusalSentence = (code: ProblemCode, detail: string): string => {
  const text = texts[code]
  if (text === undefined) return detailText(detail)
  return wholeProblems.has(code) ? text : `${text} ${detailText(detail)}`
}

/** Why something would be refused that nobody has asked for yet: nothing is told to have failed. */
export const foreseenSentence = (code: ProblemCode, detail: string): string =>
  wholeProblems.has(code) ? refusalSentence(code, detail) : detailText(detail)
