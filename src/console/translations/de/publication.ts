/** The German texts of what a publication would do, and of the calculator. */
import type { Translation } from "../../app/Translation.ts"
import { count } from "./german.ts"

const worth = (cost: string | undefined): string => (cost === undefined ? "" : ` im Wert von ${cost}`)
const prizes = (n: number): string => count(n, "Prämie", "Prämien")

export const publication: Translation["publication"] = {
  title: "Was es bewirken würde",
  members: "Gäste nach Stufe",
  tier: "Stufe",
  before: "Jetzt",
  after: "Danach",
  difference: "Unterschied",
  isNew: "neu",
  removed: "entfernt",
  noTiers: "Das Programm hat keine Stufen.",
  sample: (counted, total) => `Aus einer Stichprobe von ${counted} der ${total} Gäste.`,
  orders: (n, shown) =>
    n === 1
      ? "Was eine Bestellung der letzten 30 Tage sammeln würde"
      : `Was ${shown} Bestellungen der letzten 30 Tage sammeln würden`,
  sampleOrders: (shown, total) => `Eine Stichprobe von Gästen: ${shown} von ${total} Bestellungen.`,
  noOrders: "In den letzten 30 Tagen hat keine Bestellung gesammelt.",
  account: "Konto",
  nothing: "Sie würden nichts sammeln, weder vorher noch nachher.",
  range: (from, until, zone) => `Bestellungen vom ${from} bis ${until} (${zone}).`,
  caveat:
    "Sie zählen nach Umsatz, Filiale und Zeit, mit dem jetzigen Stand jedes Gastes und ohne vorher verwendete Aktionen.",
  untried: (names) => `Nicht probiert, weil Bestellungen ohne ihre Produkte aufgezeichnet werden: ${names}.`,
  cards: (rewards, n, name, cost, most) =>
    `Mit vorher leeren Karten würden sie die Stempelkarte für ${rewards} ${prizes(n)} (${name})${worth(cost)} füllen, höchstens ${most} für eine Bestellung.`,
  noWorth: "kein Wert",
  held: (n, points, was, is) => `Gäste halten ${points} ${n === 1 ? "Punkt" : "Punkte"}: ${was} → ${is}.`,
  cardsNow: (rewards) => `Die geltende Karte würde ${rewards} geben.`,
  completes: (challenge, n, guests, rewards, cost) =>
    n === 0
      ? `${challenge}: Kein Gast hat schon genug dafür.`
      : `${challenge}: ${guests} ${count(n, "Gast hat", "Gäste haben")} schon genug dafür. Die nächste Bestellung, die zählt, gibt ${count(n, "ihm", "ihnen")} ${rewards}${worth(cost)}.`,
  completedRewards: (rewards, n, name) => `${rewards} ${prizes(n)} (${name})`,
  confirm: {
    title: "Das verschenkt vielleicht viel",
    told: (rewards) =>
      `Eine Bestellung mit 10 Artikeln kann durch die Stempelkarte oder eine Aufgabe ${rewards} Prämien geben. Ist das so gewollt?`,
    yes: (rewards) => `Ja, eine Bestellung darf ${rewards} Prämien geben`
  },
  offers: { rewards: "Prämien", promotions: "Aktionen", challenges: "Aufgaben" },
  changes: {
    added: (names) => `neu: ${names}`,
    removed: (names) => `entfallen: ${names}`,
    changed: (names) => `geändert: ${names}`
  },
  noOffers: "Keine Prämie, Aktion oder Aufgabe kommt hinzu, entfällt oder ändert sich.",
  load: "Datei laden",
  loadHint: "Eine Programmdatei (JSON) füllt die Formulare. Nichts wird veröffentlicht, bevor Sie es tun.",
  noJson: "Die Datei ist kein JSON.",
  otherProgramme: (id) => `Die Datei ist für ein anderes Programm: Ihre program_id muss ${id} sein.`
}

export const evaluation: Translation["evaluation"] = {
  evaluate: "Was eine Bestellung sammeln würde",
  spend: "Was der Gast bezahlt",
  channel: "Kanal",
  tier: "Ein neuer Gast der Stufe",
  location: "Filiale",
  anyLocation: "Jede andere Filiale",
  earns: (amount) => `Sie würde ${amount} sammeln.`,
  earnsNothing: "Sie würde nichts sammeln.",
  because: {
    already_accrued: "Sie hat schon gesammelt.",
    channel_not_eligible: "Bestellungen über diesen Kanal sammeln nichts.",
    no_eligible_lines: "Nichts davon sammelt.",
    below_minimum_spend: "Sie liegt unter dem Mindestumsatz.",
    rounded_to_zero: "Es reicht nicht für einen Punkt.",
    limit_reached: "Eine Grenze ist erreicht."
  },
  earnsBy: (points, name) => `davon ${points} durch ${name}`,
  fills: (n, rewards, name, cost) =>
    `Sie würde die Stempelkarte für ${rewards} ${prizes(n)} füllen: ${name}${worth(cost)}.`,
  lacksItem: (name, items) => `Für ${name} braucht es noch ${items} der Produkte.`,
  lacksSpend: (name, spend) => `Für ${name} braucht es noch ${spend}.`,
  withheld: {
    order_earns_nothing: (name) => `${name}: Die Bestellung sammelt nichts.`,
    disabled: (name) => `${name} ist abgeschaltet.`,
    other_tier: (name) => `${name} ist für Gäste anderer Stufen.`,
    joined_earlier: (name) => `${name} ist für Gäste, die später dazukamen.`,
    not_first_order: (name) => `${name} ist für die erste Bestellung eines Gastes.`,
    other_location: (name) => `${name} ist für andere Filialen.`,
    other_channel: (name) => `${name} ist für andere Kanäle.`,
    other_time: (name) => `${name} läuft zu dieser Zeit nicht.`,
    limit_reached: (name) => `${name} wurde so oft gegeben, wie erlaubt ist.`,
    no_such_products: (name) => `${name} ist für andere Produkte.`,
    nothing_left: (name) => `${name} gibt nichts für das, was gratis ist oder mit etwas bezahlt wird, das nicht zählt.`,
    minimum_spend: (name) => `Für ${name} ist mehr Umsatz nötig.`,
    another_gives_more: (name) => `${name} zählt nicht, weil eine andere mehr gibt.`,
    gives_nothing: (name) => `${name} würde keinen ganzen Punkt geben.`,
    order_limit_reached: (name) =>
      `${name} fügt nichts hinzu, weil die Bestellung schon so viel sammelt, wie eine darf.`
  },
  product: "Produkt, falls wichtig",
  category: "Kategorie, falls wichtig",
  placed: (zone) => `Wann bestellt wird (${zone})`,
  mendFirst: "Beheben Sie zuerst die Fehler."
}
