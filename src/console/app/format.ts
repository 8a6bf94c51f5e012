/** Numbers, money, dates and times in the reader's locale. Times are in the programme's zone, and say so. */

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** The reader's languages, the best one first; a system without a locale gives a browser a tag that is none. */
const locales = navigator.languages.filter(isLocale)

const whole = new Intl.NumberFormat(locales)
const compact = new Intl.NumberFormat(locales, { notation: "compact", maximumFractionDigits: 1 })

const withSign = new Intl.NumberFormat(locales, { signDisplay: "exceptZero" })

/** A change: with its sign, also above zero. */
export const signed = (value: number): string => withSign.format(value)
export const number = (value: number): string => whole.format(value)
export const short = (value: number): string => compact.format(value)

const moneyFormat = (currency: string) => new Intl.NumberFormat(locales, { style: "currency", currency })

/** How many decimals a currency's amounts have; 2 where it is not known. */
export const digitsOf = (currency: string): number => {
  try {
    return moneyFormat(currency).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** An amount of minor units. */
export const money = ({ amount, currency }: { readonly amount: number; readonly currency: string }): string =>
  moneyFormat(currency).format(amount / 10 ** digitsOf(currency))

const timeFormat = (timeZone: string, withTime: boolean) =>
  new Intl.DateTimeFormat(locales, {
    timeZone,
    dateStyle: "medium",
    ...(withTime ? { timeStyle: "short" } : {})
  })

/** A moment with its zone: `26 Nov 2026, 14:05 (Europe/Berlin)`. */
export const time = (timestamp: string, zone: string): string =>
  `${timeFormat(zone, true).format(new Date(timestamp))} (${zone})`

/** The same where the zone is named beside. */
export const timeShort = (timestamp: string, zone: string): string => timeFormat(zone, true).format(new Date(timestamp))

export const date = (timestamp: string, zone: string): string => timeFormat(zone, false).format(new Date(timestamp))

/** A day of the calendar, `YYYY-MM-DD`, which is the same in every zone. */
export const calendarDay = (day: string): string => date(`${day}T00:00:00Z`, "UTC")

const share = new Intl.NumberFormat(locales, { style: "percent", maximumFractionDigits: 1 })
const oneDecimal = new Intl.NumberFormat(locales, { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A share of basis points: `12.5%`. */
export const percent = (bps: number): string => share.format(bps / 10_000)

/** A difference of basis points as percentage points, without its sign: `1.8`. */
export const percentagePoints = (bps: number): string => oneDecimal.format(Math.abs(bps) / 100)

/** A day of the week; 0 is Sunday. */
export const weekday = (day: number): string =>
  // The first of January 2023 was a Sunday.
  new Intl.DateTimeFormat(locales, { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2023, 0, 1 + day))

const dayMs = 86_400_000

/** A zone's clock at an instant, as the same reading in UTC, ms. */
const clockAt = (zone: string, at: number): number => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
  return Date.parse(`${format.format(at).replace(" ", "T")}Z`)
}

/** The instant of a zone's midnight, from the same reading in UTC, ms. */
const midnightAt = (midnight: number, zone: string): number => {
  // The offset may be another one around midnight than at the first guess.
  const guess = midnight - (clockAt(zone, midnight) - midnight)
  return midnight - (clockAt(zone, guess) - guess)
}

/** The first instant of a zone's day that is so many days before the one of a moment. */
export const dayBefore = (timestamp: string, zone: string, days: number): string =>
  new Date(midnightAt(Math.floor(clockAt(zone, Date.parse(timestamp)) / dayMs - days) * dayMs, zone)).toISOString()

/** The first and the last instant of a zone's day, `YYYY-MM-DD`. */
export const startOfDay = (day: string, zone: string): string =>
  new Date(midnightAt(Date.parse(`${day}T00:00:00Z`), zone)).toISOString()
export const endOfDay = (day: string, zone: string): string =>
  new Date(midnightAt(Date.parse(`${day}T00:00:00Z`) + dayMs, zone) - 1).toISOString()

/** Days and months of a year that is plain: `26 Nov`, `Nov 2026`. */
export const dayShort = (timestamp: string, zone: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: zone, day: "numeric", month: "short" }).format(new Date(timestamp))
export const monthShort = (month: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: "UTC", month: "short", year: "numeric" }).format(
    new Date(`${month}-01T00:00:00Z`)
  )
