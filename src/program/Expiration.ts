/** When earned points and other things of limited life end (decisions.md §4 Lots, §1). */
import { latestInstant } from "../contract/Values.ts"
import type { Program } from "./Program.ts"

const dayMs = 86_400_000

/** So much later, ms; no later than a timestamp can write. */
export const later = (at: number, ms: number): number => Math.min(at + ms, latestInstant)

/** The instant at which points earned at `at` expire; undefined where the unit's never do. */
export const expiresAt = (program: Program, unit: string, at: number): number | undefined =>
  program.pointExpiration === undefined || (unit !== "points" && unit !== "credits")
    ? undefined
    : later(at, program.pointExpiration.days * dayMs)
