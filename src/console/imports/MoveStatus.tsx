import type { MoveRun } from "../../contract/admin/MoveRuns.ts"
import { Status } from "../shared/Status.tsx"
import { moveStrings } from "./moveStrings.ts"

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
