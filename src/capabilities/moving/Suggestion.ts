/** Suggests the mapping of a file by its first rows, for somebody who corrects it. Pure. */
import { fieldNamed, plain } from "../../contract/ColumnNames.ts"
import { guessDateOrder } from "../../contract/WrittenDates.ts"
import { guessThousands } from "../../contract/WrittenPoints.ts"
import type { Row } from "./FileRows.ts"
import type { FileKind, FileMapping } from "./Mapping.ts"
import { kindsOfFile, targetOf } from "./Mapping.ts"

/**
 * Names of columns as `plain` writes them, so ü is u, beside those of imports; umlauts in two letters are other names. A name may
 * be of several fields: the kind of the file tells which.
 */
const names: Readonly<Record<string, string>> = {
  external_id: "kdnr kundenr kundennum gastnr",
  balance: "guthaben saldo restpunkte punkteguthaben aktuellepunkte kontostand pointsleft currentpoints",
  amount:
    "amount points pointsleft pointsremaining remaining remainingpoints menge betrag punkte punktzahl anzahlpunkte rest restpunkte restbetrag restguthaben offenepunkte verbleibend verbleibendepunkte guthaben",
  earned_at:
    "earnedat earned earnedon earneddate dateearned collectedon gesammelt gesammeltam sammeldatum erworben erworbenam verdient verdientam gutgeschrieben gutgeschriebenam gutschriftam gutschriftsdatum buchungsdatum buchungstag gebuchtam erhaltenam einkaufsdatum kaufdatum erstelltam vergebenam",
  expires_at:
    "expiresat expireson expires expiry expirydate expiration expirationdate validuntil validto verfall verfallam verfalltam verfaelltam verfallsdatum verfalldatum ablauf ablaufdatum lauftab lauftabam gultigbis gueltigbis einlosbarbis einloesbarbis",
  unit: "unit account einheit konto",
  reward_id:
    "rewardid reward rewardtype voucher vouchertype coupon coupontype pramie praemie pramienart praemienart gutschein gutscheinart gutscheintyp belohnung",
  code: "code vouchercode rewardcode couponcode vouchernumber voucherno gutscheincode gutscheinnummer gutscheinnr pramiencode praemiencode einlosecode einloesecode",
  issued_at:
    "issuedat issued issuedon issuedate ausgestellt ausgestelltam ausstellungsdatum ausgegebenam ausgabedatum erhaltenam erstelltam vergebenam",
  purpose: "purpose zweck verwendungszweck einwilligungszweck einwilligungsart",
  channel: "channel medium kanal kommunikationskanal",
  granted: "granted given consent optin einwilligung eingewilligt erteilt zugestimmt zustimmung",
  recorded_at:
    "recordedat recordedon when at date consentdate datum zeitpunkt zeitstempel timestamp erteiltam eingewilligtam zugestimmtam einwilligungsdatum einwilligungam erfasstam geandertam geaendertam",
  source: "source quelle herkunft",
  version: "version textversion textfassung fassung",
  joined_at:
    "joinedat joined joinedon memberssince membersince registeredat createdat enrolledat signupdate beitritt beitrittsdatum eintritt eintrittsdatum mitgliedseit mitgliedab kundeseit registriertam registriertseit registrierungsdatum anmeldedatum angemeldetam angelegtam erstelltam",
  lifetime: "lifetime lifetimepoints totalearned gesamtpunkte punktegesamt gesammeltepunkte",
  period_sum: "periodsum tierpoints statuspoints statuspunkte",
  orders:
    "orders ordercount numberoforders visits visitcount bestellungen anzahlbestellungen besuche anzahlbesuche einkaufe einkaeufe",
  last_earned_at:
    "lastearnedat lastearned lastactivity lastorder lastvisit lastpurchase letzteaktivitat letzteaktivitaet letztebestellung letzterbesuch letztereinkauf letztebuchung",
  tier_id: "tierid tier level status stufe statusstufe kundenstatus",
  tier_until:
    "tieruntil leveluntil tiervaliduntil statusbis stufebis statusgultigbis statusgueltigbis stufegultigbis stufegueltigbis",
  lots: "lots",
  rewards: "rewards vouchers",
  consents: "consents",
  identities: "identities cards",
  attributes: "attributes attributesjson",
  order_id:
    "orderid order orderno ordernumber receipt receiptid receiptno transactionid bon bonnr bonnummer beleg belegnr belegnummer kassenbon bestellnr bestellnummer bestellid auftragsnr auftragsnummer rechnungsnr rechnungsnummer transaktion transaktionsnr transaktionsid vorgangsnr",
  points: "points amount earned pointsearned punkte menge gesammeltepunkte gutgeschriebenepunkte",
  at: "at when date time timestamp occurredat placedat datum zeit zeitpunkt zeitstempel buchungsdatum bestelltam bestelldatum bestellzeit belegdatum bondatum transaktionsdatum transaktionszeit kaufdatum einkaufsdatum"
}

const fieldsByName: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  [
    ...Map.groupBy(
      Object.entries(names).flatMap(([field, all]) => all.split(" ").map((name) => ({ field, name }))),
      ({ name }) => name
    )
  ].map(([name, all]) => [name, all.map(({ field }) => field)])
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
  const found = [column.trim(), ...(fieldsByName.get(plain(column)) ?? []), known].find(
    (field) => field !== undefined && targetOf(kind, field) !== undefined
  )
  return found ?? null
}

/** Fields that only a guest's own row has, and those that most often are there. */
const personal = ["first_name", "last_name", "display_name", "email", "phone", "birth_date"]
const ofGuests = [...personal, "identity_value", "lifetime", "orders"]

type Has = (kind: FileKind, ...fields: ReadonlyArray<string>) => boolean

/** The kinds of rows that have these columns, guests aside. */
const partKinds = (has: Has, isAmount: boolean): ReadonlyArray<FileKind> => {
  const isOrders = has("orders", "order_id", "points", "at") && !has("lots", "expires_at")
  const isDated = has("lots", "amount", "expires_at") || (has("lots", "amount", "earned_at") && !isOrders)
  const isChanneled = has("consents", "granted", "channel", "recorded_at")
  const more = ["reward_id", "issued_at", "expires_at"]
  const kinds: Readonly<Record<Exclude<FileKind, "guests">, boolean>> = {
    orders: isOrders,
    consents: has("consents", "granted", "purpose") || isChanneled,
    rewards: more.some((field) => has("rewards", "code", field)),
    lots: isAmount || isDated
  }
  return kindsOfFile.filter((kind) => kind !== "guests" && kinds[kind])
}

/** The kind that the columns tell; null: they tell none, or two, such as lots with the guests' names. */
const kindOf = (columns: ReadonlyArray<string>): FileKind | null => {
  const has: Has = (kind, ...fields) =>
    fields.every((field) => columns.some((column) => fieldOf(kind, column) === field))
  const [first, ...others] = partKinds(has, columns.includes("amount"))
  const isPersonal = personal.some((field) => has("guests", field))
  if (first !== undefined) return others.length > 0 || isPersonal ? null : first
  const areKnown = columns.every((column) => fieldOf("guests", column) !== null)
  return areKnown || ofGuests.some((field) => has("guests", field)) ? "guests" : null
}

/** The field of a column in a kind of file; of none, that of the first kind that has one. */
const suggestedOf = (kind: FileKind | null, name: string): string | null =>
  (kind === null ? kindsOfFile : [kind]).map((one) => fieldOf(one, name)).find((field) => field !== null) ?? null

/** Each field once: the first column has it. A card's number is of a card where no column has its type. */
const columnsOf = (kind: FileKind | null, header: ReadonlyArray<string>): FileMapping["columns"] => {
  const found = header.map((name) => suggestedOf(kind, name))
  const hasTypes = found.includes("identity_type")
  return Object.fromEntries(
    header.map((name, index) => {
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
  const found = [...new Set(rows.flatMap((row) => row.names))]
  const holds = kindOf(found)
  const columns = columnsOf(holds, found)
  const dates = guessDateOrder(cellsOf(rows, columns, isDate).map((cell) => cell.replace(/[T ]\d.*$/, "")))
  return {
    file,
    holds,
    ...(format === "csv" && separator !== undefined ? { separator } : {}),
    dates: dates.isSure ? dates.order : null,
    ...(Object.values(columns).some(isPoints)
      ? { thousands: guessThousands(cellsOf(rows, columns, isPoints)) ?? null }
      : {}),
    columns
  }
}
