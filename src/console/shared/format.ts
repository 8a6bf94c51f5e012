/**
 * Formats numbers, money, dates and times in the person's locale. Times are in the programme's time zone and name it.
 */
import { locales } from "./language.ts"
import { clockAt } from "./zonedTime.ts"

const whole = new Intl.NumberFormat(locales)

/** The mark before the decimals of a number. */
export const decimalMark = whole.formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? "."

const compact = new Intl.NumberFormat(locales, { notation: "compact", maximumFractionDigits: 1 })

const collator = new Intl.Collator(locales, { numeric: true })

const withSign = new Intl.NumberFormat(locales, { signDisplay: "exceptZero" })

/** A number as people read it: a minus is as wide as a plus, and no hyphen, at which lines break. */
const minus = (formatted: string): string => formatted.replace("-", "−")

/** A number with its sign, also if it is positive. */
export const signed = (value: number): string => minus(withSign.format(value))
export const number = (value: number): string => minus(whole.format(value))
export const short = (value: number): string => minus(compact.format(value))

const moneyFormat = (currency: string) => new Intl.NumberFormat(locales, { style: "currency", currency })

/** The order of two values: numbers by size, texts as people sort them. */
export const compared = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b))

/** A duration: `35 ms`, `1.2 s`. */
export const milliseconds = (ms: number): string =>
  ms < 1_000 ? `${whole.format(Math.round(ms))} ms` : `${oneDecimal.format(ms / 1_000)} s`

/** Number of decimals of a currency; 2 for an unknown one. */
export const digitsOf = (currency: string): number => {
  try {
    return moneyFormat(currency).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** An amount of minor units. */
export const money = ({ amount, currency }: { readonly amount: number; readonly currency: string }): string =>
  minus(moneyFormat(currency).format(amount / 10 ** digitsOf(currency)))

/** A change of an amount of minor units, with its sign also if it is positive. */
export const signedMoney = ({ amount, currency }: { readonly amount: number; readonly currency: string }): string =>
  minus(
    new Intl.NumberFormat(locales, { style: "currency", currency, signDisplay: "exceptZero" }).format(
      amount / 10 ** digitsOf(currency)
    )
  )

const timeFormat = (timeZone: string, withTime: boolean) =>
  new Intl.DateTimeFormat(locales, {
    timeZone,
    dateStyle: "medium",
    ...(withTime ? { timeStyle: "short" } : {})
  })

/** An instant with its time zone: `26 Nov 2026, 14:05 (Europe/Berlin)`. */
export const time = (timestamp: string, zone: string): string =>
  `${timeFormat(zone, true).format(new Date(timestamp))} (${zone})`

/** An instant without its time zone, which the page names elsewhere. */
export const timeShort = (timestamp: string, zone: string): string => timeFormat(zone, true).format(new Date(timestamp))

/** An instant with its seconds. */
export const timeExact = (timestamp: string, zone: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: zone, dateStyle: "medium", timeStyle: "medium" }).format(
    new Date(timestamp)
  )

export const date = (timestamp: string, zone: string): string => timeFormat(zone, false).format(new Date(timestamp))

/** A calendar day, `YYYY-MM-DD`, which has no time zone. */
export const calendarDay = (day: string): string => date(`${day}T00:00:00Z`, "UTC")

const share = new Intl.NumberFormat(locales, { style: "percent", maximumFractionDigits: 1 })
const oneDecimal = new Intl.NumberFormat(locales, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const signedDecimal = new Intl.NumberFormat(locales, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "always"
})

/** Basis points as a percentage: `12.5%`. */
export const percent = (bps: number): string => minus(share.format(bps / 10_000))

/** Basis points as a number of percent, rounded as `percent` shows it. */
export const roundedPercent = (bps: number): number => (Math.sign(bps) * Math.round(Math.abs(bps) / 10)) / 10

/** A difference in basis points as percentage points, without sign: `1.8`. */
export const percentagePoints = (bps: number): string => oneDecimal.format(Math.abs(bps) / 100)
/** The same with its sign: `+1.8`. */
export const signedPoints = (bps: number): string => minus(signedDecimal.format(bps / 100))

/** A day of the week; 0 is Sunday. */
export const weekday = (day: number): string =>
  // The first of January 2023 was a Sunday.
  new Intl.DateTimeFormat(locales, { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2023, 0, 1 + day))

const dayMs = 86_400_000

/** The instant of a zone's midnight, ms. `midnight`: the same date's midnight in UTC. */
const midnightAt = (midnight: number, zone: string): number => {
  // The zone's offset at midnight may differ from the offset at the first guess.
  const guess = midnight - (clockAt(zone, midnight) - midnight)
  return midnight - (clockAt(zone, guess) - guess)
}

/** Start of the local day `days` days before the day of an instant. */
export const dayBefore = (timestamp: string, zone: string, days: number): string =>
  new Date(midnightAt(Math.floor(clockAt(zone, Date.parse(timestamp)) / dayMs - days) * dayMs, zone)).toISOString()

/** The first and the last instant of a local day, `YYYY-MM-DD`. */
export const startOfDay = (day: string, zone: string): string =>
  new Date(midnightAt(Date.parse(`${day}T00:00:00Z`), zone)).toISOString()
export const endOfDay = (day: string, zone: string): string =>
  new Date(midnightAt(Date.parse(`${day}T00:00:00Z`) + dayMs, zone) - 1).toISOString()

/** The local day of an instant, `YYYY-MM-DD`. */
export const localDay = (timestamp: string, zone: string): string =>
  new Date(clockAt(zone, Date.parse(timestamp))).toISOString().slice(0, 10)
/** An amount of minor units in the currency's main unit, as a file has it: `12.40`. */
export const decimal = ({ amount, currency }: { readonly amount: number; readonly currency: string }): number =>
  amount / 10 ** digitsOf(currency)

/** The same with every decimal of the currency: `12.40`, not `12.4`. */
export const decimals = (sum: { readonly amount: number; readonly currency: string }): string =>
  decimal(sum).toFixed(digitsOf(sum.currency))

/** The first instant after a local day, `YYYY-MM-DD`. */
export const nextDay = (day: string, zone: string): string =>
  new Date(midnightAt(Date.parse(`${day}T00:00:00Z`) + dayMs, zone)).toISOString()

/** Short forms of days, hours and months: `26 Nov`, `14:00`, `Nov 2026`. */
export const dayShort = (timestamp: string, zone: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: zone, day: "numeric", month: "short" }).format(new Date(timestamp))
/** A day with its day of the week: `Thu 26 Nov`. */
export const weekdayDate = (timestamp: string, zone: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: zone, weekday: "short", day: "numeric", month: "short" }).format(
    new Date(timestamp)
  )
export const hourShort = (timestamp: string, zone: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: zone, timeStyle: "short" }).format(new Date(timestamp))
/** A time of day, `HH:mm`, which has no date. */
export const clockTime = (clock: string): string => hourShort(`2023-01-01T${clock}:00Z`, "UTC")
export const monthShort = (month: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: "UTC", month: "short", year: "numeric" }).format(
    new Date(`${month}-01T00:00:00Z`)
  )

/** `October 2026`. */
export const monthLong = (month: string): string =>
  new Intl.DateTimeFormat(locales, { timeZone: "UTC", month: "long", year: "numeric" }).format(
    new Date(`${month}-01T00:00:00Z`)
  )

/** The name of a country (ISO 3166). */
export const countryName = (country: string): string =>
  new Intl.DisplayNames([...locales], { type: "region" }).of(country) ?? country
