/** The outcome of an import in a word. Pure. */
import type { Import } from "../../contract/platform/Imports.ts"
import { importStrings } from "./importStrings.ts"

const { statuses, takenBack, underWay } = importStrings

const tones = { completed: "good", partial: "waiting", failed: "bad" } as const

type Shown = Pick<Import, "completed_at" | "status" | "taken_back_at">

/** One without an end is running or was interrupted. */
export const outcomeOf = ({ completed_at, status, taken_back_at }: Shown) => {
  if (taken_back_at !== undefined) return { tone: "neutral", word: takenBack } as const
  return completed_at === undefined
    ? ({ tone: "waiting", word: underWay } as const)
    : { tone: tones[status], word: statuses[status] }
}
