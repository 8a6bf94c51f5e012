import type { Import } from "../../../contract/platform/Imports.ts"
import { strings } from "../../app/strings.ts"

const { statuses, underWay } = strings.imports

/** What became of an import. One that has no end is under way, or was cut off. */
export const statusText = ({ completed_at, status }: Pick<Import, "completed_at" | "status">): string =>
  completed_at === undefined ? underWay : statuses[status]
