/** Suggests the mapping of a file by its first rows, for somebody who corrects it. Pure. */
import { fieldNamed, plain } from "../../contract/ColumnNames.ts"
import { guessDateOrder } from "../../contract/WrittenDates.ts"
import { guessThousands } from "../../contract/WrittenPoints.ts"
import type { Row } from "./FileRows.ts"
import type { FileKind, FileMapping } from "./Mapping.ts"
import { targetOf } from "./Mapping.ts"

/** Names of columns as `plain` writes them, so ü is u, beside those of imports; umlauts in two letters are other names. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amount: "amount points pointsleft remaining menge betrag punkte rest",
    earned_at: "earnedat earned earnedon dateearned gesammeltam erworbenam verdientam gutgeschriebenam buchungsdatum",
    expires_at:
      "expiresat expires expiry expirydate expiration expirationdate validuntil verfall verfallsdatum verfalltam verfaelltam ablaufdatum lauftabam gultigbis gueltigbis",
    unit: "unit account einheit konto",
    reward_id: "rewardid reward voucher vouchertype pramie praemie gutscheinart",
    code: "code vouchercode rewardcode gutscheincode",
    issued_at: "issuedat issued issuedon ausgestelltam",
    purpose: "purpose zweck",
    channel: "channel kanal",
    granted: "granted given consent optin einwilligung",
    recorded_at: "recordedat when at date datum zeitpunkt",
    source: "source quelle",
    version: "version textversion",
    joined_at:
      "joinedat joined joinedon memberssince membersince registeredat createdat beitritt beitrittsdatum eintritt eintrittsdatum mitgliedseit kundeseit registriertam angelegtam",
    lifetime: "lifetime lifetimepoints totalearned gesamtpunkte",
    period_sum: "periodsum tierpoints statuspoints statuspunkte",
    orders: "orders ordercount visits bestellungen besuche",
    last_earned_at: "lastearnedat lastearned lastactivity lastorder letzteaktivitat letzteaktivitaet letztebestellung",
    tier_id: "tierid tier level status stufe",
    tier_until: "tieruntil leveluntil tiervaliduntil statusbis stufebis",
    lots: "lots",
    rewards: "rewards vouchers",
    consents: "consents",
    identities: "identities cards",
    attributes: "attributes attributesjson"
  }).flatMap(([field, names]) => names.split(" ").map((name) => [name, field] as const))
)

/** The same of files of orders, where points are not those of a lot. */
const ofOrders: ReadonlyMap<string, string> = new Map(
  Object.entries({
    order_id:
      "orderid order orderno ordernumber receipt receiptid receiptno transactionid bon bonnummer beleg belegnummer bestellnummer",
    points: "points amount earned pointsearned punkte menge",
    at: "at when date time occurredat placedat datum zeitpunkt buchungsdatum"
  }).flatMap(([field, names]) => names.split(" ").map((name) => [name, field] as const))
)

/** The field of an import as that of a move. */
const asMoved: Readonly<Record<string, string>> = {
  opening_balance: "balance",
  attributes_json: "attributes",
  attribute: ""
}

const nameOfAttribute = (column: string): string => column.trim().replace(/^attributes?[._ ]+/i, "")

/** The field of a column in a kind of file; null: none. */
const fieldOf = (kind: FileKind, column: string): string | null => {
  const imported = fieldNamed(column)
  if (imported === "attribute" && kind === "guests") return `attribute:${nameOfAttribute(column)}`
  const known = imported === undefined ? undefined : (asMoved[imported] ?? imported)
  const synonym = (kind === "orders" ? ofOrders : synonyms).get(plain(column))
  const found = [column.trim(), synonym, known].find(
    (field) => field !== undefined && targetOf(kind, field) !== undefined
  )
  return found ?? null
}

/** A file of guests may have points and dates; one of lots has no other balance than its amounts. */
const kindOf = (columns: ReadonlyArray<string>): FileKind => {
  const has = (kind: FileKind, ...fields: ReadonlyArray<string>): boolean =>
    fields.every((field) => columns.some((column) => fieldOf(kind, column) === field))
  if (has("orders", "order_id", "points")) return "orders"
  if (has("consents", "purpose", "granted")) return "consents"
  if (has("rewards", "reward_id", "code")) return "rewards"
  const isDated = has("lots", "earned_at") || has("lots", "expires_at")
  return columns.includes("amount") || (has("lots", "amount") && isDated) ? "lots" : "guests"
}

/** Each field once: the first column has it. A card's number is of a card where no column has its type. */
const columnsOf = (kind: FileKind, names: ReadonlyArray<string>): FileMapping["columns"] => {
  const found = names.map((name) => fieldOf(kind, name))
  const hasTypes = found.includes("identity_type")
  return Object.fromEntries(
    names.map((name, index) => {
      const field = found[index] ?? null
      if (field === null || found.indexOf(field) < index) return [name, null]
      return [name, field === "identity_value" && !hasTypes ? "card:loyalty_id" : field]
    })
  )
}

const isDate = (field: string | null): boolean => field !== null && /_at$|^at$|^tier_until$|^birth_date$/.test(field)
const isPoints = (field: string | null): boolean =>
  field !== null && /^(?:balance|amount|points|lifetime|period_sum)/.test(field)

const cellsOf = (rows: ReadonlyArray<Row>, columns: FileMapping["columns"], is: (field: string | null) => boolean) =>
  rows.flatMap(({ cells, names }) =>
    names.flatMap((name, index) => {
      const cell = cells[index]
      return typeof cell === "string" && is(columns[name] ?? null) ? [cell] : []
    })
  )

/** The mapping that the first rows of a file suggest. What they leave open is null: a person says it. */
export const suggest = (
  file: string,
  rows: ReadonlyArray<Row>,
  { format, separator }: { readonly format: "csv" | "json"; readonly separator: FileMapping["separator"] }
): FileMapping => {
  const names = [...new Set(rows.flatMap((row) => row.names))]
  const holds = kindOf(names)
  const columns = columnsOf(holds, names)
  const dates = guessDateOrder(cellsOf(rows, columns, isDate).map((cell) => cell.replace(/[T ]\d.*$/, "")))
  return {
    file,
    holds,
    ...(format === "csv" && separator !== undefined ? { separator } : {}),
    dates: dates.isSure ? dates.order : null,
    thousands: guessThousands(cellsOf(rows, columns, isPoints)) ?? null,
    columns
  }
}
