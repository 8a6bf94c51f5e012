/** When a failed delivery is sent again (contract/events.md *Delivery*). */
import * as Bounds from "./Bounds.ts"

/** A pause of the list, varied by `random` (0 to 1). The last one repeats. */
const varied = (pauses: ReadonlyArray<number>, index: number, random: number): number =>
  Math.round((pauses[Math.min(index, pauses.length - 1)] ?? 0) * (1 + Bounds.jitter * (2 * random - 1)))

/** The pause after the given number of attempts that count, ms. */
export const pauseMs = (tries: number, random: number): number =>
  varied(Bounds.pausesMs, Math.max(0, tries - 1), random)

/** The pause before the next attempt while all fail, ms. Never longer than 10 minutes. */
export const probeMs = (probes: number, random: number): number =>
  Math.min(Bounds.probesMs.at(-1) ?? 0, varied(Bounds.probesMs, probes, random))

/** The pause that `Retry-After` asks for, ms: seconds or a date. Undefined: none that can be read. */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /\d{4}.*:/.test(text) ? Date.parse(text) - now : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), Bounds.retryAfterMs)
}
