import type { MoveRun } from "../../../contract/admin/MoveRuns.ts"
import { moveStrings } from "../../app/moveStrings.ts"
import { Status } from "../../ui/Status.tsx"

const tones = {
  running: "waiting",
  interrupted: "bad",
  moved: "good",
  left: "waiting",
  refused: "bad"
} as const

export const MoveStatus = ({ status }: Pick<MoveRun, "status">) => (
  <Status tone={tones[status]}>{moveStrings.statuses[status]}</Status>
)
