/** Names of columns in files of guests, and words in their cells, as other systems write them. Pure. */
import type { ImportColumn } from "./platform/Imports.ts"
import { importColumns } from "./platform/Imports.ts"

/** Meanings of a column: one of the template, a part of the name, or an attribute with a name of its own. */
export const fields = ["first_name", "last_name", ...importColumns, "attribute"] as const
export type Field = (typeof fields)[number]

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
export const plain = (name: string): string =>
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

/** A column such as `attributes.favourite`. */
export const ofAttribute = /^attributes?[._ ]+(?=\S)/i

export const fieldNamed = (name: string): Field | undefined =>
  fieldByName.get(plain(name)) ?? (ofAttribute.test(name.trim()) ? "attribute" : undefined)

/** Words of consent. */
export const yes = ["true", "yes", "y", "1", "x", "on", "ja", "j", "wahr", "oui", "sí", "si", "vrai"]
export const no = ["false", "no", "n", "0", "off", "nein", "falsch", "non", "faux"]
