/** Telephone numbers as people of a country write them, and as E.164. Pure. */

/** How numbers within a country are written. */
interface Country {
  readonly code: string
  /** The digit for calls within the country, which E.164 has not. Empty: there is none. */
  readonly trunk: string
  /** True if it belongs to the number, as in Italy. */
  readonly isKept?: true
  /** Digits without the trunk's; absent: several, so that only the trunk tells a national number. */
  readonly digits?: number
}

const trunk0 = (code: string): Country => ({ code, trunk: "0" })
const without = (code: string, digits: number): Country => ({ code, trunk: "", digits })
const american: Country = { code: "+1", trunk: "1", digits: 10 }

/** By ISO 3166. Numbers of other countries need their plus. */
const countries: Readonly<Record<string, Country>> = {
  ...Object.fromEntries(
    Object.entries({
      ...{
        AT: "+43",
        AU: "+61",
        BE: "+32",
        BG: "+359",
        CH: "+41",
        DE: "+49",
        FI: "+358",
        FR: "+33",
        GB: "+44",
        HR: "+385"
      },
      ...{
        ID: "+62",
        IE: "+353",
        IL: "+972",
        IN: "+91",
        JP: "+81",
        KR: "+82",
        MA: "+212",
        MY: "+60",
        NL: "+31",
        NZ: "+64"
      },
      ...{
        PH: "+63",
        PK: "+92",
        RO: "+40",
        RS: "+381",
        SE: "+46",
        SI: "+386",
        SK: "+421",
        TH: "+66",
        TR: "+90",
        TW: "+886"
      },
      ...{ UA: "+380", VN: "+84", ZA: "+27" }
    }).map(([country, code]) => [country, trunk0(code)])
  ),
  IT: { code: "+39", trunk: "0", isKept: true, digits: 10 },
  US: american,
  CA: american,
  HU: { code: "+36", trunk: "06" },
  RU: { code: "+7", trunk: "8", digits: 10 },
  KZ: { code: "+7", trunk: "8", digits: 10 },
  CY: without("+357", 8),
  CZ: without("+420", 9),
  DK: without("+45", 8),
  ES: without("+34", 9),
  GR: without("+30", 10),
  HK: without("+852", 8),
  LV: without("+371", 8),
  MT: without("+356", 8),
  MX: without("+52", 10),
  NO: without("+47", 8),
  PL: without("+48", 9),
  PT: without("+351", 9),
  SG: without("+65", 8)
}

const byCode = new Map(Object.values(countries).map((country) => [country.code, country]))

/** The calling code of a country; undefined: it is not known here. */
export const callingCodeOf = (country: string | undefined): string | undefined =>
  country !== undefined && Object.hasOwn(countries, country) ? countries[country]?.code : undefined

const national = (digits: string, { code, digits: length, isKept, trunk }: Country): string | undefined => {
  if (trunk !== "" && digits.startsWith(trunk)) {
    const own = digits.slice(trunk.length)
    if (isKept) return `${code}${digits}`
    return length === undefined || own.length === length ? `${code}${own}` : undefined
  }
  return digits.length === length && !digits.startsWith("0") ? `${code}${digits}` : undefined
}

/**
 * A number as E.164: without blanks and signs, with the calling code (`+49`) where it has none of its own. Undefined: the text
 * is no number that can be read so.
 */
export const phoneIn = (text: string, code: string | undefined): string | undefined => {
  // "+49 (0)30" has the 0 only for calls within the country.
  const written = text.trim().replace(/^((?:\+|00)\d{1,3}\s*)\(0\)/, "$1")
  const digits = written.replaceAll(/[\s()./\u2010-\u2015-]/g, "")
  if (!/^\+?\d{4,}$/.test(digits)) return undefined
  if (digits.startsWith("+")) return digits
  if (digits.startsWith("00")) return `+${digits.slice(2)}`
  return code === undefined ? undefined : national(digits, byCode.get(code) ?? trunk0(code))
}

/** The area codes of `+1` that are Canada's, and those of countries beside it and the United States, whose calls cost more. */
const canada = new Set(
  (
    "204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 387 403 416 418 428 431 437 438 450 460 468 474 506 514 519 " +
    "537 548 568 579 581 584 587 604 613 639 647 672 683 705 709 742 753 778 780 782 807 819 825 867 873 879 902 905 942"
  ).split(" ")
)
const islands = new Set(
  "242 246 264 268 284 345 441 473 649 658 664 721 758 767 784 809 829 849 868 869 876".split(" ")
)

/** The country of a number whose calling code several countries share; undefined: it is another's. */
const sharedBy: Readonly<Record<string, (own: string) => string | undefined>> = {
  "+1": (own) => {
    const area = own.slice(0, 3)
    return canada.has(area) ? "CA" : islands.has(area) ? undefined : "US"
  },
  "+7": (own) => (/^[67]/.test(own) ? "KZ" : "RU")
}

/** Ranges whose calls and texts cost more, by calling code: no guest has such a number. */
const dear: Readonly<Record<string, RegExp>> = {
  "+1": /^(?:900|976)/,
  "+31": /^90/,
  "+32": /^90/,
  "+33": /^89/,
  "+34": /^(?:80[367]|90[57])/,
  "+39": /^(?:89|199)/,
  "+41": /^90/,
  "+43": /^(?:9|8[12])/,
  "+44": /^(?:9|70|87)/,
  "+49": /^(?:900|1[38]|19)/
}

/** Digits of a number without its calling code, where the country has none that always holds. */
const fewestDigits = 7
/** Digits of any number, as E.164. */
const mostDigits = 15

const isLong = (own: string, { code, digits }: Country): boolean =>
  digits === undefined
    ? own.length >= fewestDigits && own.length + code.length - 1 <= mostDigits
    : own.length === digits

/**
 * True of a number, as E.164, of a country that is known here: with its calling code, so long as its numbers are, without the
 * digit for calls within it, and of no range that costs more.
 */
export const isOfCountry = (phone: string, country: string | undefined): boolean => {
  const code = callingCodeOf(country)
  if (code === undefined || !phone.startsWith(code)) return false
  const own = phone.slice(code.length)
  const known = byCode.get(code) ?? trunk0(code)
  const hasTrunk = known.isKept !== true && known.trunk.startsWith("0") && own.startsWith("0")
  if (hasTrunk || !isLong(own, known) || dear[code]?.test(own) === true) return false
  const shared = sharedBy[code]
  return shared === undefined || shared(own) === country
}
