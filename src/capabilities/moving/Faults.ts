/**
 * Faults that a plan finds, each with a name by which it can be waived, its remedy, and what a run does where it was waived
 * (contract/moving.md *Faults*). No fault quotes a cell.
 */
import type { FileKind } from "./Mapping.ts"

interface Kind {
  readonly remedy: string
  /** The way in which a run goes on with a waived one; undefined: it cannot be waived. */
  readonly waived?: string
}

const kinds = {
  unreadable: { remedy: "Mend or export the file again." },
  cut_short: {
    remedy: "Compare the end of the file with the other system; add a line end if it is whole.",
    waived: "The last row counts as it stands."
  },
  unmapped: { remedy: "Write a mapping with plan --suggest, and correct it." },
  unsaid: { remedy: "Say it in the mapping." },
  uneven: { remedy: "Mend the row: it has too few or too many cells.", waived: "The row is left out." },
  invalid: { remedy: "Mend the value.", waived: "The row is left out; of a balance, its points are." },
  shortened: {
    remedy: "Format the column as text in the spreadsheet, and export it again.",
    waived: "The row is left out."
  },
  invalid_email: { remedy: "Mend the address.", waived: "The guest moves without the address." },
  invalid_phone: { remedy: "Mend the number.", waived: "The guest moves without the number." },
  phone_without_country: {
    remedy: "Write the number with +, or say calling_code in the mapping.",
    waived: "The guest moves without the number."
  },
  invalid_birth_date: { remedy: "Mend the date.", waived: "The guest moves without the date." },
  invalid_card: { remedy: "Mend the card.", waived: "The guest moves without the card." },
  shortened_card: {
    remedy: "Format the column as text in the spreadsheet, and export it again.",
    waived: "The guest moves without the card."
  },
  invalid_profile: {
    remedy: "Mend the name, the attributes or the date of joining.",
    waived: "The guest moves without it."
  },
  invalid_standing: { remedy: "Mend the value.", waived: "The guest moves without it." },
  invalid_consent: {
    remedy: "Mend the consent, or say in values of the mapping what its words are here.",
    waived: "The consent is left out."
  },
  ambiguous_date: {
    remedy: "Write all dates of the file alike.",
    waived: "It is read in the order that the mapping says."
  },
  without_id: { remedy: "Give the guest an id.", waived: "The row is left out." },
  doubled_guest: { remedy: "Leave one row for the guest.", waived: "The first row counts, the others are left out." },
  shared_card: {
    remedy: "Leave the card with one guest.",
    waived: "The guest of the first row has it."
  },
  unknown_guest: { remedy: "Add the guest's row, or remove this one.", waived: "The row is left out." },
  card_elsewhere: {
    remedy: "Merge the two, or remove the card.",
    waived: "The guest moves without the card."
  },
  opening_balance: {
    remedy: "Remove the balance of the guest: an import has posted it.",
    waived: "The points are moved in addition."
  },
  lots_differ: {
    remedy: "Mend the balance or the lots.",
    waived: "The lots count, the balance does not."
  },
  expired: { remedy: "Remove the lot or the reward, or correct its date.", waived: "It is left out." },
  not_yet: { remedy: "Correct the date: it lies ahead.", waived: "The present counts instead." },
  unknown_reward: {
    remedy: "Publish the reward, or say in values of the mapping which one it is here.",
    waived: "The reward is left out."
  },
  unknown_unit: { remedy: "Add the account to the programme, or correct the unit.", waived: "It is left out." },
  unknown_tier: {
    remedy: "Publish the tier, or say in values of the mapping which one it is here.",
    waived: "No tier is promised."
  },
  fills_card: {
    remedy: "Give the reward as one of the wallet, and less stamps.",
    waived: "The stamps move, and fill no card."
  },
  doubled_code: { remedy: "Leave the code with one reward.", waived: "The first one has it." }
} as const satisfies Readonly<Record<string, Kind>>

export type FaultName = keyof typeof kinds

export const faultNames = Object.keys(kinds) as ReadonlyArray<FaultName>

export const kindOf = (name: FaultName): Kind => kinds[name]

/** Faults after which the guest moves without the value. */
const ofGuests: ReadonlySet<FaultName> = new Set([
  ...(["invalid_email", "invalid_phone", "phone_without_country", "invalid_birth_date"] as const),
  ...(["invalid_card", "shortened_card", "invalid_profile", "invalid_standing", "invalid_consent"] as const)
])

/** True of faults after which the row of a file of this kind is still moved. */
export const keepsRow = (name: FaultName, kind: FileKind): boolean =>
  name === "ambiguous_date" || (kind === "guests" && ofGuests.has(name))

/** Where something was read. */
interface Place {
  readonly file: string
  /** The number of the row, as spreadsheets count; 0: the whole file. */
  readonly row: number
}

export interface Fault extends Place {
  readonly name: FaultName
  /** The column; empty: the whole row. */
  readonly column: string
  readonly detail: string
}

export type Report = (fault: Fault) => void
