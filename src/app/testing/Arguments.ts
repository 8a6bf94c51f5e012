/** Checks of what a test gives: a misspelt fault would be a test that passes without it. */

/** Throws for options that are none, or that have another name than these. */
export const checkOptions = (of: string, options: unknown, names: ReadonlyArray<string>): void => {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new TypeError(`${of} takes an object with ${names.join(", ")}`)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`${of} has no option ${unknown}; it has ${names.join(", ")}`)
}

/** Throws for a value that is given and is no number within the bounds. */
export const checkNumber = (of: string, value: unknown, least: number, most: number, isWhole: boolean): void => {
  if (value === undefined) return
  const isNumber = typeof value === "number" && value >= least && value <= most && (!isWhole || Number.isInteger(value))
  if (!isNumber) {
    const kind = isWhole ? "a whole number" : "a number"
    const bounds = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
    throw new TypeError(`${of} must be ${kind} ${bounds}, not ${JSON.stringify(value) ?? String(value)}`)
  }
}
