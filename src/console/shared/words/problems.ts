/** The texts of refusals, in a file of their own that is loaded at the first one. */
import type { ProblemCode } from "../../../contract/protocol/Problem.ts"
import { fetchFor } from "../files.ts"
import type { Why } from "./catalogue.ts"

type Tell = (code: ProblemCode, why: Why) => string

let sentenceOf: Tell = (_code, { detail }) => detail
let foreseenOf: Tell = sentenceOf

let loading: Promise<void> | undefined

const load = () => import("./refusals.ts")

const fetchAndImport = async (): Promise<void> => {
  try {
    await fetchFor(load)
    const texts = await load()
    sentenceOf = texts.refusalSentence
    foreseenOf = texts.foreseenSentence
  } catch {
    // The service's own sentence is told, and the next refusal tries again.
    loading = undefined
  }
}

/** Returns once the texts are there, or do not come. */
export const loadProblemTexts = (): Promise<void> => {
  loading ??= fetchAndImport()
  return loading
}

/** A refusal as a sentence for people. */
export const problemSentence = (code: ProblemCode, why: Why): string => sentenceOf(code, why)

/** The same of something that would be refused. */
export const foreseenProblem = (code: ProblemCode, why: Why): string => foreseenOf(code, why)
