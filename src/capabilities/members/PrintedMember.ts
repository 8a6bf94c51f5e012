/** Everything about a guest as parts of a page that prints (contract/operators.md *A file of everything*). Pure. */
import { hash } from "node:crypto"
import type { MemberFile } from "../../contract/admin/MemberExport.ts"
import type { EntryCause } from "../../contract/admin/MemberLedger.ts"
import type { HistoryKind } from "../../contract/guest/Shown.ts"
import type { Language } from "../../contract/Languages.ts"
import type { Unit } from "../../contract/Values.ts"
import { toMillis } from "../../contract/Values.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Words } from "./PrintedWords.ts"
import { wordsIn } from "./PrintedWords.ts"

type File = typeof MemberFile.Type

/** The part of the file that is known before its lists. */
export type Head = Omit<File, "ledger" | "consent_history" | "events">

/** The page's language, words and look. */
export interface Sheet {
  readonly language: Language
  readonly program: Program
  /** The path of a picture. */
  readonly logo: string | undefined
  /** Names of the restaurants that the guest's facts name. */
  readonly places: ReadonlyMap<string, string>
}

const style = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5c6672;--paper:#fff;--line:#d5d8dc}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa4b0;--paper:#14181d;--line:#3a434d}}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 3rem}
header{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:center;margin-bottom:1.5rem}
header img{max-height:3rem;max-width:10rem}header b{flex:1;overflow-wrap:anywhere}
button{font:inherit;padding:.5rem 1rem;border:1px solid var(--line);border-radius:.4rem;color:inherit;background:none;cursor:pointer}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:0;color:var(--soft)}
.table{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:start;vertical-align:top;padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:break-word}
tbody th{font-weight:500;width:40%}.facts td,.facts th{overflow-wrap:anywhere}.number{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
@media print{button{display:none}:root{--ink:#000;--soft:#333;--paper:#fff;--line:#bbb}main{max-width:none;padding:0}
h2{break-after:avoid}tr{break-inside:avoid}.table{overflow:visible}}
`

const script = `document.querySelector("button").addEventListener("click",()=>print())`

const sourceOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

/** Style and script are the page's own, known by their hashes; but for the logo nothing else is loaded. */
export const securityPolicy =
  `default-src 'none'; style-src ${sourceOf(style)}; script-src ${sourceOf(script)}; img-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escape = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

const wordsOf = ({ language }: Sheet): Words => wordsIn[language]

const localeOf = ({ language }: Sheet): string => (language === "de" ? "de" : "en-GB")

const timeText = (sheet: Sheet, at: string): string =>
  new Intl.DateTimeFormat(localeOf(sheet), {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: sheet.program.zone
  }).format(toMillis(at))

const dayText = (sheet: Sheet, at: string): string =>
  new Intl.DateTimeFormat(localeOf(sheet), { dateStyle: "medium", timeZone: sheet.program.zone }).format(toMillis(at))

const numberText = (sheet: Sheet, value: number): string => new Intl.NumberFormat(localeOf(sheet)).format(value)

const changeText = (sheet: Sheet, value: number): string =>
  new Intl.NumberFormat(localeOf(sheet), { signDisplay: "exceptZero" }).format(value)

/** The account's own name; one that is a unit's is translated. */
const unitText = (sheet: Sheet, unit: Unit): string => {
  const { units } = wordsOf(sheet)
  const { label } = sheet.program.accounts.find((account) => account.unit === unit) ?? {}
  return label === undefined || label.toLowerCase() === unit ? units[unit] : label
}

/** A value that a caller stored, which may be nested. */
const valueText = (sheet: Sheet, value: unknown): string => {
  if (typeof value === "boolean") return value ? wordsOf(sheet).yes : wordsOf(sheet).no
  if (typeof value === "number") return numberText(sheet, value)
  if (Array.isArray(value)) return value.map((one) => valueText(sheet, one)).join(", ")
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${valueText(sheet, inner)}`)
      .join(", ")
  return value === null ? "–" : String(value)
}

/** A cell; a number stands at the end of its column. */
export type Cell = string | { readonly number: string }

const cell = (value: Cell): string =>
  typeof value === "string" ? `<td><bdi>${escape(value)}</bdi></td>` : `<td class="number">${escape(value.number)}</td>`

export const row = (cells: ReadonlyArray<Cell>): string => `<tr>${cells.map(cell).join("")}</tr>`

/** The begin of a table. A name with `number` heads a column of numbers. */
export const tableBegin = (title: string, columns: ReadonlyArray<Cell>): string => {
  const heads = columns.map((one) =>
    typeof one === "string"
      ? `<th scope="col">${escape(one)}</th>`
      : `<th scope="col" class="number">${escape(one.number)}</th>`
  )
  // A table that is wider than a telephone scrolls, by keys too.
  return (
    `<section><h2>${escape(title)}</h2><div class="table" tabindex="0" role="group" aria-label="${escape(title)}">` +
    `<table><thead><tr>${heads.join("")}</tr></thead><tbody>`
  )
}

export const tableEnd = "</tbody></table></div></section>"

/** In the place of rows. */
export const noRows = (sheet: Sheet, columns: number): string =>
  `<tr><td colspan="${columns}">${escape(wordsOf(sheet).none)}</td></tr>`

const table = (sheet: Sheet, title: string, columns: ReadonlyArray<Cell>, rows: ReadonlyArray<ReadonlyArray<Cell>>) =>
  `${tableBegin(title, columns)}${rows.length === 0 ? noRows(sheet, columns.length) : rows.map(row).join("")}${tableEnd}`

/** The caller's own data about the guest. */
export const attributesOf = ({ member: { attributes } }: Head): Readonly<Record<string, unknown>> =>
  typeof attributes === "object" && attributes !== null ? { ...attributes } : {}

/** Attributes that the service itself knows have words. Who recommended the guest stays a number: the name is another's. */
const attributeOf = (sheet: Sheet, name: string, value: unknown): readonly [string, string] => {
  const { facts } = wordsOf(sheet)
  const text = valueText(sheet, value)
  if (name === "join_location") return [facts.joinedAt, sheet.places.get(text) ?? text]
  return [name === "referred_by" ? facts.referredBy : name, text]
}

const factsOf = (sheet: Sheet, head: Head) => {
  const { leaves_at, member, profile, tier_progress } = head
  const words = wordsOf(sheet)
  const { facts } = words
  const { tiers } = sheet.program
  const tier = member.tier_id ?? tier_progress?.current_tier_id
  const all: ReadonlyArray<readonly [string, string | undefined]> = [
    [facts.name, profile?.display_name],
    [facts.email, profile?.email],
    [facts.phone, profile?.phone],
    [facts.birthday, profile?.birth_date === undefined ? undefined : dayOf(sheet, profile.birth_date)],
    [facts.external, profile?.external_id],
    ...Object.entries(attributesOf(head)).map(([name, value]) => attributeOf(sheet, name, value)),
    [facts.joined, dayText(sheet, member.joined_at)],
    [facts.status, words.statuses[member.status]],
    [facts.tier, tiers.find(({ tier_id }) => tier_id === tier)?.name ?? tier],
    ...member.identities.map(({ issuer, value }) => [facts.card, [value, issuer].filter(isText).join(" · ")] as const),
    [facts.number, member.member_id],
    [facts.leaves, leaves_at === undefined ? undefined : dayText(sheet, leaves_at)]
  ]
  return all.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`<tr><th scope="row"><bdi>${escape(name)}</bdi></th><td><bdi>${escape(value)}</bdi></td></tr>`]
  )
}

const isText = (text: string | undefined): text is string => text !== undefined

/** A calendar day, which has no zone. */
const dayOf = (sheet: Sheet, day: string): string =>
  new Intl.DateTimeFormat(localeOf(sheet), { dateStyle: "long", timeZone: "UTC" }).format(toMillis(`${day}T00:00:00Z`))

const balancesOf = (sheet: Sheet, { balances, lots }: Head): string => {
  const words = wordsOf(sheet)
  const number = (value: number) => ({ number: numberText(sheet, value) })
  const kinds = [words.kindOfPoints, { number: words.amount }, { number: words.held }, { number: words.spendable }]
  const rows = balances.map(({ amount, available, reserved, unit }) => [
    unitText(sheet, unit),
    number(amount),
    number(reserved),
    number(available)
  ])
  const begun = [words.kindOfPoints, words.earned, { number: words.left }, words.expires]
  const left = lots.map(({ earned_at, expires_at, remaining, unit }) => [
    unitText(sheet, unit),
    dayText(sheet, earned_at),
    number(remaining),
    expires_at === undefined ? "–" : dayText(sheet, expires_at)
  ])
  return table(sheet, words.balances, kinds, rows) + (left.length === 0 ? "" : table(sheet, words.lots, begun, left))
}

const rewardsOf = (sheet: Sheet, { issued_rewards, reservations }: Head): string => {
  const words = wordsOf(sheet)
  const nameOf = (id: string): string => sheet.program.rewards.get(id)?.name ?? id
  const rows = [
    ...issued_rewards.map(({ expires_at, issued_at, reward_id, status }) => [
      nameOf(reward_id),
      words.rewardStates[status],
      dayText(sheet, issued_at),
      expires_at === undefined ? "–" : dayText(sheet, expires_at)
    ]),
    ...reservations.map(({ created_at, reward_id, status }) => [
      nameOf(reward_id),
      words.rewardStates[status],
      dayText(sheet, created_at),
      "–"
    ])
  ]
  return table(sheet, words.rewards, [words.reward, words.state, words.issued, words.expires], rows)
}

/** The business as guests know it. */
const businessOf = ({ program }: Sheet): string => program.file.guest_page?.name ?? program.file.name

/** The page up to its lists. */
export const pageBegin = (sheet: Sheet, head: Head): string => {
  const words = wordsOf(sheet)
  const { member_id } = head.member
  const title = words.title(head.profile?.display_name ?? member_id)
  const logo = sheet.logo === undefined ? "" : `<img src="${escape(sheet.logo)}" alt="">`
  const asOf = words.asOf(`${timeText(sheet, head.exported_at)} (${sheet.program.zone})`)
  return (
    `<!doctype html><html lang="${sheet.language}"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(title)}</title>` +
    `<link rel="icon" href="data:,"><style>${style}</style></head><body><main><header>${logo}` +
    `<b dir="auto">${escape(businessOf(sheet))}</b><button type="button">${escape(words.print)}</button></header>` +
    `<h1 dir="auto">${escape(title)}</h1><p>${escape(asOf)}</p>` +
    `<section><h2>${escape(words.you)}</h2><table class="facts"><tbody>${factsOf(sheet, head).join("")}</tbody></table></section>` +
    balancesOf(sheet, head) +
    rewardsOf(sheet, head)
  )
}

export const pageEnd = `</main><script>${script}</script></body></html>`

/** The head of the list of consents, and a row of it. */
export const consentColumns = (sheet: Sheet): ReadonlyArray<Cell> => {
  const { answer, purpose, source, when } = wordsOf(sheet)
  return [when, purpose, answer, source]
}

export const consentRow = (sheet: Sheet, decision: Omit<File["consent_history"][number], "recorded_by">) => {
  const words = wordsOf(sheet)
  const { channel, granted, purpose, recorded_at, source = "–" } = decision
  const way = channel === undefined ? undefined : (words.channels[channel] ?? channel)
  return [
    timeText(sheet, recorded_at),
    [words.purposes[purpose] ?? purpose, way].filter(isText).join(" "),
    granted ? words.agreed : words.refused,
    source
  ]
}

export const entryColumns = (sheet: Sheet): ReadonlyArray<Cell> => {
  const { expires, happened, points, restaurant, when } = wordsOf(sheet)
  return [when, happened, restaurant, { number: points }, expires]
}

type Shown = Pick<File["ledger"][number], "occurred_at" | "unit" | "amount">
interface Entry extends Shown {
  readonly order_id?: string | undefined
  readonly reason?: string | undefined
  readonly expires_at?: string | undefined
}

/** Facts about an entry beside its row. */
export interface Told {
  readonly cause: EntryCause
  /** As guests see it. */
  readonly kind: HistoryKind
  /** The restaurant's name. */
  readonly place: string | undefined
  /** Names that stand in the place of the entry's reason. */
  readonly promotions: ReadonlyArray<string> | undefined
}

const causeText = (sheet: Sheet, { cause, kind }: Told): string => {
  const { byHand, causes } = wordsOf(sheet)
  if (cause !== "manual") return causes[cause]
  return kind === "gift" || kind === "moved" ? byHand[kind] : byHand.corrected
}

export const entryRow = (sheet: Sheet, told: Told, entry: Entry) => {
  const { amount, expires_at, occurred_at, order_id, reason, unit } = entry
  const order = order_id === undefined ? undefined : wordsOf(sheet).order(order_id)
  // The service's own words of a merge and of a full card say nothing more.
  const isOwn = told.cause === "merge" || told.cause === "stamp_card"
  const why = isOwn ? undefined : (told.promotions?.join(", ") ?? reason)
  return [
    timeText(sheet, occurred_at),
    [causeText(sheet, told), order, why].filter(isText).join(" · "),
    told.place ?? "–",
    { number: `${changeText(sheet, amount)} ${unitText(sheet, unit)}` },
    expires_at === undefined ? "–" : dayText(sheet, expires_at)
  ]
}

export const eventColumns = (sheet: Sheet): ReadonlyArray<Cell> => {
  const { happened, more, when } = wordsOf(sheet)
  return [when, happened, more]
}

export const eventRow = (sheet: Sheet, event: File["events"][number]) => {
  const {
    event_id: _1,
    member_id: _2,
    occurred_at,
    program_id: _3,
    properties,
    recorded_at: _4,
    type,
    ...others
  } = event
  const more = [others, properties].filter((one) => one !== undefined && one !== null && Object.keys(one).length > 0)
  return [timeText(sheet, occurred_at), type, more.map((one) => valueText(sheet, one)).join(", ")]
}

/** Titles of the lists. */
export const listTitles = (sheet: Sheet): Pick<Words, "consents" | "entries" | "events"> => wordsOf(sheet)
