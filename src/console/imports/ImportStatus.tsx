import type { Import } from "../../contract/platform/Imports.ts"
import { Status } from "../shared/Status.tsx"
import { outcomeOf } from "./outcome.ts"

/** An import's status. */
export const ImportStatus = (props: Pick<Import, "completed_at" | "status" | "taken_back_at">) => {
  const { tone, word } = outcomeOf(props)
  return <Status tone={tone}>{word}</Status>
}
