import type { Import } from "../../contract/platform/Imports.ts"
import { Status } from "../shared/Status.tsx"
import { importStrings } from "./importStrings.ts"

const { statuses, underWay } = importStrings

const tones = { completed: "good", partial: "waiting", failed: "bad" } as const

/** An import's status. One without an end is running or was interrupted. */
export const ImportStatus = ({ completed_at, status }: Pick<Import, "completed_at" | "status">) =>
  completed_at === undefined ? (
    <Status tone="waiting">{underWay}</Status>
  ) : (
    <Status tone={tones[status]}>{statuses[status]}</Status>
  )
