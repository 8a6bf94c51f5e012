/** The guests of the demo's history: profiles, and how often they order. */

/** A pseudo-random generator of numbers from 0 up to 1 (mulberry32). The same seed gives the same numbers. */
export const drawsFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Guest {
  readonly id: string
  readonly name: string
  /** The day of the history on which the guest joins. */
  readonly joins: number
  /** True: joins by an import. False: joins at a till. */
  readonly isImported: boolean
  /** Orders on an average day. */
  readonly rate: number
  /** The location of most orders. */
  readonly home: string
  readonly email: string | undefined
  readonly phone: string | undefined
  /** `YYYY-MM-DD`. */
  readonly birthDate: string | undefined
  readonly marketing: boolean
  /** Opening balance in the import, points. */
  readonly opening: number
}

const names: ReadonlyArray<string> = [
  "Aaliyah Brooks",
  "Zoë Lindqvist",
  "José Álvarez",
  "李美玲",
  "Олена Коваленко",
  "Marcus Reed",
  "Ngọc Trần",
  "فاطمة الزهراء",
  "Grace O’Connor",
  "佐藤 健",
  "Priya Raman",
  "Δημήτρης Παππάς",
  "Chloé Dubois",
  "김서연",
  "Tomasz Wiśniewski",
  "Hannah Weiß",
  "आरव शर्मा",
  "Samuel Okafor",
  "Irina Popescu",
  "דניאל לוי",
  "Björn Þórsson",
  "Maya Johnson",
  "王伟",
  "Сергей Волков",
  "Leilani Kealoha",
  "Ana Sofia Ribeiro",
  "Kwame Mensah",
  "สมชาย ใจดี",
  "Ethan Park",
  "Ayşe Yılmaz",
  "நிலா சுப்பிரமணியன்",
  "Olivia Martin",
  "高橋 さくら",
  "Mateo García",
  "Noor Hassan",
  "Lukáš Novák",
  "Nino გიორგაძე",
  "Emma Nielsen",
  "Diego Fernández",
  "张晓明",
  "Amara Diallo",
  "Юлия Смирнова",
  "Jack Thompson",
  "ሰላም ተስፋዬ",
  "Sofia Rossi",
  "Rajesh Patel",
  "يوسف منصور",
  "Freja Sørensen",
  "박지훈",
  "Isabella Moreau",
  "Ելենա Սարգսյան",
  "Noah Williams",
  "Mei Tanaka",
  "Gabriel Silva",
  "Małgorzata Zając",
  "陳大文",
  "Ruth Goldberg",
  "Tariq Aziz",
  "Elif Demir",
  "Owen Hughes",
  "Κατερίνα Νικολάου",
  "Lucía Torres",
  "Bao Phạm",
  "Harriet Stone"
]

/** Locations with their share of the guests. */
const locations = [
  ["downtown", 0.4],
  ["harbor", 0.3],
  ["campus", 0.2],
  ["airport", 0.1]
] as const

/** Picks an item by its share; `draw`: from 0 up to 1. The shares add up to 1. */
export const pick = <A>(shares: ReadonlyArray<readonly [A, number]>, draw: number): A => {
  let below = 0
  const found = shares.find(([, share]) => {
    below += share
    return draw < below
  })
  return (found ?? shares[shares.length - 1]!)[0]
}

/** Share of the guests in the import on the first day. */
const firstImport = 0.4
/** Share of the guests in both imports. The second import is from one location. */
const bothImports = 0.55
const secondImportHome = "airport"

/** The guests of a history of `days` days. The second import is on `importDay`. */
export const guests = (days: number, importDay: number, draw: () => number): ReadonlyArray<Guest> =>
  names.map((name, index) => {
    const id = `guest-${101 + index}`
    const share = index / names.length
    const isImported = share < bothImports
    const joins =
      share < firstImport
        ? 0
        : isImported
          ? importDay
          : 1 + Math.floor(((share - bothImports) / (1 - bothImports)) * (days - 1))
    const born = Date.UTC(1955 + Math.floor(draw() * 50), 0, 1 + Math.floor(draw() * 365))
    const home = pick(locations, draw())
    return {
      id,
      name,
      joins,
      isImported,
      // A few come nearly every day, most of them now and then.
      rate: 0.03 + 0.75 * draw() ** 3.5,
      home: isImported && joins > 0 ? secondImportHome : home,
      email: draw() < 0.8 ? `${id}@example.com` : undefined,
      phone: draw() < 0.5 ? `+1202555${String(100 + index).padStart(4, "0")}` : undefined,
      birthDate: draw() < 0.6 ? new Date(born).toISOString().slice(0, 10) : undefined,
      marketing: draw() < 0.7,
      opening: isImported ? 50 * Math.floor(draw() * 9) : 0
    }
  })

/** The location of an order: mostly the guest's `home`. */
export const placeOf = ({ home }: Guest, draw: () => number): string => (draw() < 0.8 ? home : pick(locations, draw()))
