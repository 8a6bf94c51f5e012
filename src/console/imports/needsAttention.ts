/** Beside the words of outcomes, which Today does without. */
import type { Import } from "../../contract/platform/Imports.ts"

/** True of an import with failed rows that somebody has to look after. */
export const needsAttention = ({ failed, taken_back_at }: Pick<Import, "failed" | "taken_back_at">): boolean =>
  failed > 0 && taken_back_at === undefined
