/**
 * Brings records of earlier formats to the present one as they are read.
 *
 * Each format has a step that makes of its events and reply those of the next
 * one; a record goes through all the steps from its own. The journals of every
 * released format are kept in `test/journal/formats`.
 *
 * - 1 to 2: nothing of events and replies; since 2 the chain's hash covers the
 *   claims in the order of their keys (`Chain`).
 */
import { EVENT_VERSION } from "./domain/Event.ts"

/** Events and reply as parsed JSON of some format. */
export interface Content {
  readonly events: unknown
  readonly reply: unknown
}

type Step = (content: Content) => Content

const unchanged: Step = (content) => content

/** What turns a record of a format into one of the next. */
const steps: { readonly [format: number]: Step } = { 1: unchanged }

/** The content in the present format; an unknown format stops the account rather than be guessed at. */
export const upcast = (format: number, content: Content, name: string): Content => {
  let current = content
  for (let at = format; at !== EVENT_VERSION; at++) {
    const step = steps[at]
    if (step === undefined) {
      throw new Error(`record ${name} has format ${format}; this version reads 1 to ${EVENT_VERSION}`)
    }
    current = step(current)
  }
  return current
}
