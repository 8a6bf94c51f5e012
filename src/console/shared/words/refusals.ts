/** Refusals as sentences for people. `problems.ts` loads this at the first one. */
import type { ProblemCode } from "../../../contract/protocol/Problem.ts"
import type { Why } from "./catalogue.ts"
import { catalogueOf } from "./catalogue.ts"
import { detailStrings } from "./detailStrings.ts"
import { termText } from "./labels.ts"
import { problemStrings, wholeProblems } from "./problemStrings.ts"

const texts: Readonly<Partial<Record<ProblemCode, string>>> = problemStrings

const details = catalogueOf(detailStrings)

/** Why something is refused. It is told as the service says it if the catalogue has no words for it. */
export const detailText = ({ detail, template }: Why): string => details.tell({ message: detail, template }, termText)

export const refusalSentence = (code: ProblemCode, why: Why): string => {
  const text = texts[code]
  if (text === undefined) return detailText(why)
  return wholeProblems.has(code) ? text : `${text} ${detailText(why)}`
}

/** Why something would be refused that nobody has asked for yet: nothing is told to have failed. */
export const foreseenSentence = (code: ProblemCode, why: Why): string =>
  wholeProblems.has(code) ? refusalSentence(code, why) : detailText(why)
