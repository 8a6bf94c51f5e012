/** The time zones that forms offer. Few pages have one. */
export const timeZones: ReadonlyArray<string> = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])]
