/** The words of a guest's page that prints, in the languages of guests. Pure. */
import type { EntryCause } from "../../contract/admin/MemberLedger.ts"
import type { Language } from "../../contract/Languages.ts"
import type { IssuedRewardStatus, MemberStatus, ReservationStatus, Unit } from "../../contract/Values.ts"

export interface Words {
  readonly title: (name: string) => string
  readonly asOf: (at: string) => string
  readonly print: string
  readonly none: string
  readonly yes: string
  readonly no: string
  readonly you: string
  readonly facts: {
    readonly name: string
    readonly email: string
    readonly phone: string
    readonly birthday: string
    readonly external: string
    readonly joined: string
    readonly status: string
    readonly tier: string
    readonly number: string
    readonly card: string
    readonly leaves: string
    readonly joinedAt: string
    readonly referredBy: string
  }
  readonly statuses: Readonly<Record<MemberStatus, string>>
  readonly balances: string
  readonly kindOfPoints: string
  readonly amount: string
  readonly held: string
  readonly spendable: string
  readonly lots: string
  readonly earned: string
  readonly left: string
  readonly expires: string
  readonly rewards: string
  readonly reward: string
  readonly state: string
  readonly issued: string
  readonly rewardStates: Readonly<Record<IssuedRewardStatus | ReservationStatus, string>>
  readonly consents: string
  readonly when: string
  readonly purpose: string
  readonly answer: string
  readonly source: string
  readonly agreed: string
  readonly refused: string
  readonly purposes: Readonly<Record<string, string>>
  readonly channels: Readonly<Record<string, string>>
  readonly entries: string
  /** As the console names them. */
  readonly causes: Readonly<Record<Exclude<EntryCause, "manual">, string>>
  /** Points given or taken by hand, as the guests' page names them. */
  readonly byHand: Readonly<Record<"corrected" | "gift" | "moved", string>>
  readonly happened: string
  readonly order: (id: string) => string
  readonly restaurant: string
  readonly points: string
  readonly events: string
  readonly more: string
  readonly units: Readonly<Record<Unit, string>>
}

const en: Words = {
  title: (name) => `Everything that is kept about ${name}`,
  asOf: (at) => `As of ${at}`,
  print: "Print",
  none: "Nothing",
  yes: "yes",
  no: "no",
  you: "Facts",
  facts: {
    name: "Name",
    email: "E-mail",
    phone: "Telephone",
    birthday: "Birthday",
    external: "Number in another system",
    joined: "Member since",
    status: "Status",
    tier: "Tier",
    number: "Membership number",
    card: "Card or other identity",
    leaves: "Is erased on",
    joinedAt: "Joined at the restaurant",
    referredBy: "Who brought the guest"
  },
  statuses: { active: "active", suspended: "suspended", closed: "closed" },
  balances: "Balances",
  kindOfPoints: "Kind",
  amount: "Balance",
  held: "Held",
  spendable: "Can be spent",
  lots: "When they expire",
  earned: "Earned on",
  left: "Left",
  expires: "Expires on",
  rewards: "Rewards",
  reward: "Reward",
  state: "State",
  issued: "Since",
  rewardStates: {
    issued: "can be used",
    redeemed: "used",
    cancelled: "cancelled",
    expired: "expired",
    reserved: "held at a till",
    captured: "used",
    reversed: "given back"
  },
  consents: "Consent",
  when: "When",
  purpose: "Purpose",
  answer: "Answer",
  source: "Where",
  agreed: "agreed",
  refused: "refused",
  purposes: { marketing: "News and offers", analytics: "Visits may be analysed" },
  channels: { email: "by e-mail", sms: "by text message", push: "in the app" },
  entries: "Entries",
  causes: {
    order: "Earned",
    refund: "Order refunded",
    void: "Order voided",
    correction: "Order corrected",
    order_moved: "Order moved",
    merge: "Merged with another guest",
    stamp_card: "Stamp card filled",
    redemption: "Redeemed",
    reversal: "Redemption reversed",
    expiration: "Expired",
    expiration_undone: "Expiry undone"
  },
  byHand: { corrected: "Correction", gift: "Gift", moved: "Carried over" },
  happened: "What",
  order: (id) => `order ${id}`,
  restaurant: "Restaurant",
  points: "Change",
  events: "What other systems told",
  more: "More",
  units: { points: "points", visits: "visits", stamps: "stamps", credits: "credits", custom: "points" }
}

const de: Words = {
  title: (name) => `Alles, was über ${name} gespeichert ist`,
  asOf: (at) => `Stand: ${at}`,
  print: "Drucken",
  none: "Nichts",
  yes: "ja",
  no: "nein",
  you: "Angaben",
  facts: {
    name: "Name",
    email: "E-Mail",
    phone: "Telefon",
    birthday: "Geburtstag",
    external: "Nummer in einem anderen System",
    joined: "Mitglied seit",
    status: "Status",
    tier: "Stufe",
    number: "Mitgliedsnummer",
    card: "Karte oder anderes Kennzeichen",
    leaves: "Wird gelöscht am",
    joinedAt: "Angemeldet in der Filiale",
    referredBy: "Wer den Gast mitgebracht hat"
  },
  statuses: { active: "aktiv", suspended: "gesperrt", closed: "geschlossen" },
  balances: "Guthaben",
  kindOfPoints: "Art",
  amount: "Stand",
  held: "Vorgemerkt",
  spendable: "Einlösbar",
  lots: "Wann sie verfallen",
  earned: "Gesammelt am",
  left: "Übrig",
  expires: "Verfällt am",
  rewards: "Prämien",
  reward: "Prämie",
  state: "Zustand",
  issued: "Seit",
  rewardStates: {
    issued: "einlösbar",
    redeemed: "eingelöst",
    cancelled: "zurückgenommen",
    expired: "verfallen",
    reserved: "an einer Kasse vorgemerkt",
    captured: "eingelöst",
    reversed: "zurückgegeben"
  },
  consents: "Einwilligungen",
  when: "Wann",
  purpose: "Zweck",
  answer: "Antwort",
  source: "Wo",
  agreed: "zugestimmt",
  refused: "abgelehnt",
  purposes: { marketing: "Neues und Angebote", analytics: "Besuche dürfen ausgewertet werden" },
  channels: { email: "per E-Mail", sms: "per SMS", push: "in der App" },
  entries: "Buchungen",
  causes: {
    order: "Gesammelt",
    refund: "Bestellung erstattet",
    void: "Bestellung storniert",
    correction: "Bestellung korrigiert",
    order_moved: "Bestellung übertragen",
    merge: "Mit einem anderen Gast zusammengelegt",
    stamp_card: "Stempelkarte voll",
    redemption: "Eingelöst",
    reversal: "Einlösung rückgängig",
    expiration: "Verfallen",
    expiration_undone: "Verfall rückgängig"
  },
  byHand: { corrected: "Korrektur", gift: "Geschenk", moved: "Übertragen" },
  happened: "Was",
  order: (id) => `Bestellung ${id}`,
  restaurant: "Restaurant",
  points: "Änderung",
  events: "Was andere Systeme gemeldet haben",
  more: "Mehr",
  units: { points: "Punkte", visits: "Besuche", stamps: "Stempel", credits: "Guthaben", custom: "Punkte" }
}

export const wordsIn: Readonly<Record<Language, Words>> = { en, de }
