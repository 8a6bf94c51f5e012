/**
 * When points expire.
 *
 * Source: decisions.md §4 Lots.
 */
import type { Program } from "./Program.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** The units that a programme's `point_expiration` covers. */
const expiring: ReadonlySet<string> = new Set(["points", "credits"])

/** The instant at which a lot earned at `earnedAtMs` expires, or undefined: never. Days are 24 hours each. */
export const expiresAt = (program: Program, unit: string, earnedAtMs: number): number | undefined =>
  program.pointExpiration === undefined || !expiring.has(unit)
    ? undefined
    : earnedAtMs + program.pointExpiration.days * DAY_MS
