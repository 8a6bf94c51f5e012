/** Guesses which field a column of a file is, and how its cells are written. */
import type { ImportColumn } from "../../../contract/platform/Imports.ts"
import { importColumns } from "../../../contract/platform/Imports.ts"
import { dateOrders, guessDateOrder, isoDate } from "./dates.ts"
import type { Cells, Choices, Field } from "./mapping.ts"
import { cellsOf } from "./mapping.ts"
import { guessThousands } from "./points.ts"

/** Names of columns in English, German and common exports, as `plain` writes them. */
const synonyms: Readonly<Record<Exclude<Field, "attribute" | "attributes_json">, string>> = {
  member_id: "memberid membernumber memberno membershipnumber mitgliedsnummer mitgliedsnr mitgliedid",
  external_id:
    "externalid customerid customernumber customerno guestid guestnumber crmid kundennummer kundennr kundenid gastnummer gastid",
  first_name: "firstname givenname forename vorname rufname prenom nombre nome",
  last_name: "lastname surname familyname nachname familienname zuname nomdefamille apellido apellidos cognome",
  display_name: "displayname name fullname customername guestname membername gast kunde kundenname vollername",
  email: "email emailaddress mail mailaddress emailadresse mailadresse courriel",
  phone:
    "phone phonenumber telephone telephonenumber tel mobile mobilephone mobilenumber cell cellphone telefon telefonnummer telefonnr mobil mobilnummer mobiltelefon handy handynummer rufnummer",
  birth_date: "birthdate birthday dateofbirth dob born geburtstag geburtsdatum gebdatum geboren",
  marketing_consent:
    "marketingconsent consent marketing newsletter optin marketingoptin emailoptin einwilligung werbeeinwilligung werbung",
  consent_source: "consentsource optinsource einwilligungsquelle",
  identity_type: "identitytype cardtype kartenart kartentyp",
  identity_value:
    "identityvalue card cardnumber cardno loyaltycard loyaltynumber karte kartennummer kartennr kundenkarte",
  identity_issuer: "identityissuer cardissuer kartenherausgeber",
  opening_balance:
    "openingbalance balance points pointsbalance pointbalance loyaltypoints punkte punktestand punktesaldo anfangsbestand"
}

/** A name without case, accents, spaces and signs. */
const plain = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")

const fieldByName: ReadonlyMap<string, Field> = new Map([
  ...Object.entries(synonyms).flatMap(([field, names]) =>
    names.split(" ").map((name) => [name, field as Field] as const)
  ),
  ...importColumns.map((name): readonly [string, ImportColumn] => [plain(name), name])
])

/** Patterns of cells that are of one field alone. Dates and words of consent can be about anything. */
const patterns: ReadonlyArray<readonly [Field, RegExp]> = [
  ["email", /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ["phone", /^(?:\+|00)[\d\s()./-]{7,}$/]
]

const fieldByCells = (cells: Cells): Field | undefined => {
  const written = cells.map((cell) => cell.trim()).filter((cell) => cell !== "")
  const most = (pattern: RegExp) => written.filter((cell) => pattern.test(cell)).length > written.length / 2
  return patterns.find(([, pattern]) => most(pattern))?.[0]
}

/** A column such as `attributes.favourite`. */
const ofAttribute = /^attributes?[._ ]+(?=\S)/i

const fieldNamed = (name: string): Field | undefined =>
  fieldByName.get(plain(name)) ?? (ofAttribute.test(name.trim()) ? "attribute" : undefined)

/** True if a first row is a member rather than the names of columns: some cell is a date, a number or an address. */
export const isMember = (first: Cells): boolean =>
  !first.some((cell) => fieldNamed(cell) !== undefined) &&
  first.some(
    (cell) =>
      /^\+?\d[\d\s()./,-]*$/.test(cell.trim()) ||
      patterns.some(([, pattern]) => pattern.test(cell.trim())) ||
      dateOrders.some((order) => isoDate(cell, order) !== cell)
  )

/** A field for each column, each at most once: by the column's name, otherwise by its cells. */
export const guessColumns = (header: Cells, rows: ReadonlyArray<Cells>): Choices["columns"] => {
  const byName = header.map(fieldNamed)
  const hasNames = byName.includes("first_name") || byName.includes("last_name")
  const named = byName.map((field, index) =>
    (field !== "attribute" && byName.indexOf(field) < index) || (field === "display_name" && hasNames)
      ? undefined
      : field
  )
  const taken = new Set(named)
  return named.map((field, column) => {
    if (field !== undefined || byName[column] !== undefined) return field
    const found = fieldByCells(cellsOf(rows, column))
    if (found === undefined || taken.has(found)) return undefined
    taken.add(found)
    return found
  })
}

const yes = ["true", "yes", "y", "1", "x", "on", "ja", "j", "wahr", "oui", "sí", "si", "vrai"]
const no = ["false", "no", "n", "0", "off", "nein", "falsch", "non", "faux"]

/** The choices for a file before anybody changed them. */
export const guessChoices = (header: Cells, rows: ReadonlyArray<Cells>, hasHeader = true): Choices => {
  const columns = guessColumns(header, rows)
  return {
    hasHeader,
    columns,
    attributes: header.map((name) => name.trim().replace(ofAttribute, "")),
    isNamedByEmail: false,
    cardType: "loyalty_id",
    dateOrder: guessDateOrder(cellsOf(rows, columns.indexOf("birth_date"))).order,
    callingCode: "",
    thousands: guessThousands(cellsOf(rows, columns.indexOf("opening_balance"))),
    consent: { yes, no }
  }
}
