/**
 * When earned points and other things of limited life end (contract/points.md *Lots*; contract/resources.md *Values*).
 */
import { latestInstant } from "../contract/Values.ts"
import { dayMs } from "./Calendar.ts"
import type { Program } from "./Program.ts"

/** `at` plus a duration, ms; at most the last time that a timestamp can represent. */
export const later = (at: number, ms: number): number => Math.min(at + ms, latestInstant)

/** When points earned at `at` expire; undefined if the unit's points never expire. */
export const expiresAt = (program: Program, unit: string, at: number): number | undefined =>
  program.pointExpiration === undefined || (unit !== "points" && unit !== "credits")
    ? undefined
    : later(at, program.pointExpiration.days * dayMs)
