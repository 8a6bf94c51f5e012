/** When earned points expire (decisions.md §4 Lots). */
import type { Program } from "./Program.ts"

const dayMs = 86_400_000

/** The instant at which points earned at `at` expire; undefined where the unit's never do. */
export const expiresAt = (program: Program, unit: string, at: number): number | undefined =>
  program.pointExpiration === undefined || (unit !== "points" && unit !== "credits")
    ? undefined
    : at + program.pointExpiration.days * dayMs
