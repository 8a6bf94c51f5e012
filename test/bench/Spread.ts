/** The figures of several rounds, as one. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Undefined where there are no figures. */
export const spread = (values: ReadonlyArray<number>): Spread | undefined => {
  const sorted = values.toSorted((a, b) => a - b)
  const low = sorted[Math.floor((sorted.length - 1) / 2)]
  const high = sorted[Math.ceil((sorted.length - 1) / 2)]
  if (low === undefined || high === undefined) return undefined
  return { median: (low + high) / 2, min: sorted[0]!, max: sorted.at(-1)! }
}

export const digits = (value: number): string =>
  value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
