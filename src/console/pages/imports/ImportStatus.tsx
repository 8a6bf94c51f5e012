import type { Import } from "../../../contract/platform/Imports.ts"
import { strings } from "../../app/strings.ts"
import { Status } from "../../ui/Status.tsx"

const { statuses, underWay } = strings.imports

const tones = { completed: "good", partial: "waiting", failed: "bad" } as const

/** What became of an import. One that has no end is under way, or was cut off. */
export const ImportStatus = ({ completed_at, status }: Pick<Import, "completed_at" | "status">) =>
  completed_at === undefined ? (
    <Status tone="waiting">{underWay}</Status>
  ) : (
    <Status tone={tones[status]}>{statuses[status]}</Status>
  )
