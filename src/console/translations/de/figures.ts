/** The German texts of what Today draws after its numbers. */
import type { Translation } from "../../app/Translation.ts"
import { count, number } from "./german.ts"

export const attention: Translation["attention"] = {
  title: "Braucht Aufmerksamkeit",
  nothing: "Alles in Ordnung",
  looking: "Es wird nachgesehen, was Aufmerksamkeit braucht",
  unknown: (parts) => `Zurzeit unbekannt: ${parts}.`,
  parts: {
    connectors: "Konnektoren",
    imports: "Importe",
    locations: "Filialen",
    programs: "Programme",
    standOut: "auffällige Gäste, Bestellungen, Geschenke und Übertragungen sowie wartende Zielgruppen"
  },
  showAll: (n) => `Alle ${number(n)} zeigen`,
  andMore: (n) => `und ${number(n)} weitere`,
  connector: {
    failing: (at) => `hat seit ${at} nichts angenommen`,
    gone: "wurde abgeschaltet: Der Empfänger antwortete 410 (gone)",
    stopped: "wurde abgeschaltet: Der Empfänger hat 3 Tage lang nichts angenommen"
  },
  importOf: (at) => `Import vom ${at}`,
  importFailed: "hat keine Zeile importiert",
  rowsFailed: (rows, n) => `hat ${rows} ${count(n, "fehlerhafte Zeile", "fehlerhafte Zeilen")}`,
  silent: (days) =>
    `hatte an ${number(days)} ${count(days, "Tag", "Tagen")}, an ${count(days, "dem", "denen")} sonst geöffnet ist, keine Bestellung`,
  someone: "Ein Gast",
  manyOrders: (orders, day, location) =>
    `hatte am ${day} ${orders} Bestellungen${location === undefined ? "" : `, vor allem in ${location}`}`,
  manyRewards: (rewards, order, at) =>
    `erhielt am ${at} ${rewards} Prämien für eine Bestellung (${order}): Prüfen Sie die Stempelkarte und die Aufgaben`,
  gift: (amount, at, by, median) =>
    `erhielt am ${at} von Hand ${amount}${by === undefined ? "" : `, von ${by}`}${median === undefined ? "" : `; die Hälfte aller Geschenke ist höchstens ${median}`}`,
  moved: (taken, received, at, by) =>
    `gab diese Woche ${taken} Bestellungen ab und erhielt ${received} von anderen, zuletzt am ${at}${by === undefined ? "" : `, durch ${by}`}: Wird die einzige Bestellung übertragen, gilt die nächste wieder als erste`,
  twice: (order, other, at) =>
    `hat die Bestellung eines Belegs (${order}) und eine weitere desselben Restaurants und Tages (${other}, gebucht am ${at}), vielleicht dieselbe`,
  twiceOf: (order, other, at, guest) =>
    `hat die Bestellung eines Belegs (${order}), und Gast ${guest} eine desselben Restaurants und Tages (${other}, gebucht am ${at}), vielleicht dieselbe`,
  waits:
    "gibt noch an ihre bisherige Zielgruppe: Eine Änderung wartet, bis jemand sie bestätigt, der Punkte und Prämien vergeben darf",
  figures: "Die Zahlen",
  late: (time) => `sind im Rückstand: Sie enthalten alles bis ${time}`,
  programme: "Das Programm",
  retired: "ist stillgelegt: Es nimmt keine neuen Bestellungen an",
  service: "Der Dienst",
  sandbox: "ist eine Testumgebung: Nichts hier ist echt; binden Sie keine Kasse eines Restaurants an"
}

export const range: Translation["range"] = {
  from: "Von",
  to: "Bis",
  wrong: (days) => `„Von“ darf nicht nach „Bis“ liegen und höchstens ${days} Tage davor.`,
  months: "Monate",
  thisMonth: "Dieser Monat",
  lastMonth: "Letzter Monat",
  days: (from, to) => (from === to ? `${from}.` : `${from} bis ${to}.`),
  program: "Programm",
  restaurant: "Filiale",
  summary: "Zahlen dieser Tage",
  revenue: "Umsatz",
  guests: "Gäste",
  newMembers: "Neue Gäste",
  issued: "Gesammelte Punkte",
  redeemed: "Eingelöste Punkte",
  expired: "Verfallene Punkte",
  revenueHint: "Umsatz ist der Betrag, für den es Punkte geben kann, abzüglich Erstattungen.",
  outstandingHint: "Punkte im Umlauf gelten für jetzt, unabhängig von den Tagen.",
  onlyHere:
    "Nur Zahlen dieser Filiale. Gäste, Punktestände, bereitliegende Prämien, Kampagnen und Importe gibt es nicht je Filiale: Sie sind mit „ganzes Programm“ gekennzeichnet.",
  posted: "Was seit Mitternacht gebucht wurde",
  everywhere: "Alle Filialen",
  whole: (label) => `${label} (ganzes Programm)`,
  noLocation: "Ohne Filiale",
  revenueByLocation: "Umsatz nach Filiale",
  orderedHere: "Haben hier bestellt",
  liability: "Schuld gegenüber Gästen",
  inWallets: "Bereitliegende Prämien (Anzahl)",
  notRecorded: "nicht aufgezeichnet",
  notRecordedHint: "Der Stand am Ende jedes Tages wird seit Version 0.4 aufgezeichnet, solange der Dienst läuft.",
  atEndOf: (day) => `am Ende des ${day}`,
  cost: "Kosten der Prämien",
  worthHint: (points, worth) =>
    `${points} Punkte zählen ${worth}, eine Prämie ihren Rabatt oder ihren höchsten Wert. Geschuldet werden die Punkte aktiver und gesperrter Gäste und ihre bereitliegenden Prämien; bei vergangenen Tagen der Stand am Ende des letzten. Die Kosten der Prämien sind das Eingelöste abzüglich zurückgegebener Punkte, dazu die verwendeten vergebenen Prämien.`,
  noWorth: "Um zu sehen, was Sie in Geld schulden und was Prämien kosten, legen Sie den „Punktwert“ fest:",
  noWorthLink: "zum Programm",
  figure: "Kennzahl",
  value: "Wert",
  before: "Vorher",
  total: "Summe",
  beatMs: "Millisekunden seit dem letzten Lebenszeichen"
}

export const yesterday: Translation["yesterday"] = {
  file: "Gestern",
  title: (day) => `Gestern, ${day}`,
  hint: (day, zone) =>
    `Verglichen mit ${day.replace(/\.$/, "")}. Bestellungen zählen an ihrem Geschäftstag, neue Gäste ab Mitternacht in ${zone}. Umsatz ist der Betrag, für den es Punkte geben kann, abzüglich Erstattungen.`,
  columns: ["Kennzahl", "Gestern", "Eine Woche davor"],
  orders: "Bestellungen",
  revenue: "Umsatz",
  guests: "Gäste",
  newMembers: "Neue Gäste",
  before: (value) => `${value} eine Woche davor`
}

export const ranking: Translation["ranking"] = {
  title: "Filialen, die schwächste zuerst",
  file: "Filialen im Vergleich",
  days: (from, to, before, beforeTo) =>
    `${from} bis ${to}, verglichen mit ${before} bis ${beforeTo}, nach Geschäftstag. Zuerst steht, wer am meisten verloren hat.`,
  range: "Verglichene Tage",
  ranges: { 7: "7 Tage", 28: "28 Tage" },
  name: "Filiale",
  id: "ID der Filiale",
  revenue: "Umsatz",
  change: "Veränderung",
  cause: "Hauptgrund",
  causes: {
    guests: {
      more: (before, now) => `mehr Gäste: ${now} statt ${before}`,
      less: (before, now) => `weniger Gäste: ${now} statt ${before}`
    },
    orders: {
      more: (before, now) => `mehr Bestellungen je Gast: ${now} statt ${before}`,
      less: (before, now) => `weniger Bestellungen je Gast: ${now} statt ${before}`
    },
    allOrders: {
      more: (before, now) => `mehr Bestellungen: ${now} statt ${before}`,
      less: (before, now) => `weniger Bestellungen: ${now} statt ${before}`
    },
    average: {
      more: (before, now) => `größere Bestellungen: ${now} statt ${before}`,
      less: (before, now) => `kleinere Bestellungen: ${now} statt ${before}`
    }
  },
  noneNow: "keine Bestellung in diesen Tagen",
  noneBefore: "keine Bestellung in den Tagen davor",
  same: "unverändert",
  orders: "Bestellungen",
  guests: "Gäste",
  average: "Durchschnittliche Bestellung",
  wasOf: (label) => `${label}, vorher`,
  none: "Keine Bestellungen in diesen Tagen",
  noneHint: "Filialen erscheinen hier mit ihrer ersten Bestellung.",
  all: (n) => `Alle ${number(n)} Filialen`
}
