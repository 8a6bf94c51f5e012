/** The German texts of the books of a month. */
import type { Translation } from "../../app/Translation.ts"

export const finance: Translation["finance"] = {
  title: "Buchhaltung",
  about:
    "Was Gäste halten, wie es dazu kam und was es wert ist. Der Tag der Buchung entscheidet über den Monat, auch wenn der Geschäftstag einer Bestellung ein anderer ist.",
  guide: "So wird ein Monat abgeschlossen (auf Englisch)",
  month: "Monat",
  print: "Drucken",
  printed: (time) => `Gedruckt: ${time}`,
  states: {
    closed: "abgeschlossen",
    before: "vor dem ersten abgeschlossenen Monat",
    goes_on: "läuft noch",
    order: "nicht abgeschlossen",
    first: "nicht abgeschlossen",
    next: "als Nächstes dran"
  },
  hints: {
    closed:
      "Das ist die Aufstellung, wie sie abgeschlossen wurde. Sie ändert sich nie: Was später kam, steht im nächsten Monat.",
    before:
      "Monate werden der Reihe nach abgeschlossen, und ein späterer war der erste. Dieser bleibt deshalb, wie er nach Datum ist.",
    goes_on: "Der Monat ist noch nicht vorbei. Das sind seine bisherigen Zahlen.",
    order:
      "Das sind die Zahlen des Monats nach Datum. Monate werden der Reihe nach abgeschlossen: Ein anderer kommt zuerst.",
    first:
      "Noch ist kein Monat abgeschlossen. Der erste ist frei wählbar: Von da an werden Monate der Reihe nach abgeschlossen.",
    next: "Das ist die Aufstellung, wie sie jetzt abgeschlossen würde."
  },
  noMonth: (asked, month) => `${asked} ist kein Monat, der begonnen hat. Das ist ${month}.`,
  noStatement: (id, month) =>
    `${id} hat im ${month} keine Aufstellung: Es gab dort keine Punkte, oder niemanden mit dieser Kennung.`,
  toNext: (month) => `Zu ${month}`,
  asOf: (time) => `Gezählt bis ${time}.`,
  noWorth:
    "Die Aufstellung ist nur in Punkten, weil das Programm nicht sagt, was ein Punkt wert ist. Wer das Programm veröffentlicht, kann es festlegen.",
  valueSince: (n, points, money, day) =>
    `${points} ${n === 1 ? "Punkt" : "Punkte"} = ${money}${day === undefined ? "" : ` seit ${day}`}`,
  noWorthSince: (day) => `Punkte haben seit ${day} keinen Wert`,
  hadNoWorth: (day) => `hatten sie${day === undefined ? "" : ` seit ${day}`} keinen Wert`,
  beforeThat: (told) => `davor ${told}`,
  by: "Zeilen",
  kinds: { unit: "Ganzes Programm", location: "Nach Filiale", franchisee: "Nach Franchisenehmer" },
  statementOf: (account, of) => `Aufstellung ${account}${of === "" ? "" : `, ${of}`}`,
  rowsOf: (account, kind) => `${account}: ${kind}`,
  brand: "Die Marke",
  brandHints: {
    location: "Geschenke ohne Filiale, übernommene Punkte und negative Guthaben gehören zur Marke.",
    franchisee:
      "Geschenke ohne Filiale, übernommene Punkte, negative Guthaben und Filialen ohne Franchisenehmer gehören zur Marke."
  },
  placeHints: {
    location:
      "Punkte gehören zu der Filiale, deren Bestellungen oder Geschenke sie gebracht haben, egal wo sie ausgegeben oder zurückgenommen werden oder verfallen. „Hier eingelöst“ ist, was die Filiale ausgegeben hat.",
    franchisee:
      "Punkte gehören dem, der die Filiale am Tag der Buchung hatte. Wechselt eine Filiale, geht ihr Bestand mit."
  },
  opens: "Ein Druck auf einen Namen zeigt seine Aufstellung.",
  total: "Summe",
  cents: "Die Summe der Werte kann um Cent von der des ganzen Programms abweichen: Jede Zeile ist für sich gerundet.",
  noFranchisees:
    "Keine Filiale hat einen Franchisenehmer, deshalb gehört alles zur Marke. Auf Heute steht in der Liste der Filialen, wem sie gehören.",
  names: { location: "Filiale", franchisee: "Franchisenehmer" },
  back: "Alle Zeilen",
  line: "Zeile",
  account: "Konto",
  points: "Punkte",
  worth: "Wert",
  currency: "Währung",
  means: "Was es heißt",
  opening: (month) => `Zu Beginn von ${month}`,
  openingMeans: "Was Gäste zu Beginn des Monats hielten. Es ist die letzte Zeile des Monats davor.",
  closing: (month) => `Am Ende von ${month}`,
  closingMeans: "Was Gäste am Ende des Monats halten: die erste Zeile und alle dazwischen.",
  soFar: "Jetzt",
  soFarMeans: "Was Gäste jetzt halten: die erste Zeile und alle dazwischen.",
  lines: {
    late: "Nachgebucht",
    base: "Mit Bestellungen gesammelt",
    promotions: "Mit Aktionen gesammelt",
    orders_up: "Bestellungen nach oben korrigiert",
    orders_down: "Erstattungen",
    bonus_credits: "Bonuspunkte vergeben",
    bonus_debits: "Bonuspunkte zurückgenommen",
    gift_credits: "Punkte geschenkt",
    gift_debits: "Geschenke zurückgenommen",
    service_recovery_credits: "Punkte als Entschuldigung",
    service_recovery_debits: "Entschuldigungen zurückgenommen",
    correction_credits: "Korrekturen nach oben",
    correction_debits: "Korrekturen nach unten",
    migration_credits: "Von einem anderen Anbieter übernommen",
    migration_debits: "Übernahmen korrigiert",
    card_resets: "Volle Stempelkarten",
    redeemed: "Eingelöst",
    given_back: "Zurückgegeben",
    expired: "Verfallen",
    moved: "Zwischen Gästen verschoben",
    handed_over: "Mit Filialen gekommen oder gegangen",
    revalued: "Wert eines Punkts geändert"
  },
  meanings: {
    late: "Buchungen früherer Monate, die erst nach deren Abschluss kamen. Sie stehen hier, einmal, weil ein abgeschlossener Monat sich nie ändert.",
    base: "Bestellungen haben sie nach der Regel des Programms gebracht.",
    promotions: "Aktionen haben für dieselben Bestellungen mehr gegeben.",
    orders_up: "Bestellungen wurden korrigiert und brachten mehr.",
    orders_down: "Bestellungen wurden ganz oder teilweise erstattet oder korrigiert und brachten weniger.",
    bonus_credits: "Personen oder Kampagnen haben einen Bonus vergeben.",
    bonus_debits: "Bonuspunkte wurden zurückgenommen.",
    gift_credits: "Personen oder Kampagnen haben Punkte vergeben.",
    gift_debits: "Geschenke wurden zurückgenommen.",
    service_recovery_credits: "Personen haben Punkte vergeben, weil etwas schiefgegangen war.",
    service_recovery_debits: "Solche Punkte wurden zurückgenommen.",
    correction_credits: "Personen haben Fehler berichtigt, und Gäste bekamen Punkte.",
    correction_debits: "Personen haben Fehler berichtigt, und Gäste verloren Punkte.",
    migration_credits: "Gäste haben sie aus dem System davor mitgebracht.",
    migration_debits: "Mitgebrachte Punkte wurden zurückgenommen.",
    card_resets: "Eine volle Stempelkarte hat ihre Prämie gegeben, und ihre Stempel endeten.",
    redeemed: "Gäste haben damit Prämien bezahlt.",
    given_back: "Prämien wurden nicht ausgegeben, und ihre Punkte kamen zurück.",
    expired: "Niemand hat sie rechtzeitig ausgegeben.",
    moved:
      "Zusammengelegte Gäste und verschobene Bestellungen: Was ein Gast verlor, bekam ein anderer. Die Summe ist 0, außer wenn eines davon an der Grenze zweier Tage liegt.",
    handed_over:
      "Eine Filiale hat den Besitzer gewechselt, und was Gäste aus ihren Bestellungen halten, ging mit. Über alle Zeilen ist es 0.",
    revalued:
      "Der Wert eines Punkts im Programm hat sich geändert: Was Gäste hielten, ist ab diesem Tag mehr oder weniger wert. Punkte haben sich nicht bewegt."
  },
  belowZero: "Davon negative Guthaben",
  belowZeroMeans:
    "Was Gäste schulden: Bestellungen wurden erstattet, deren Punkte schon ausgegeben waren. Es ist ein Teil der letzten Zeile; manche Bücher zeigen es getrennt.",
  redeemedHere: "Hier eingelöst",
  givenBackHere: "Hier eingelöst und zurückgegeben",
  lateTitle: (account) => `${account}: Nachgebuchtes`,
  lateHint: "Buchungen früherer Monate, nach ihren Zeilen.",
  groups: {
    earned: "Gesammelt",
    given: "Vergeben",
    redeemed: "Eingelöst",
    expired: "Verfallen",
    other: "Anderes",
    handed_over: "Mit Filialen gekommen oder gegangen"
  },
  groupHints: {
    earned: "„Gesammelt“ ist, was Bestellungen und Aktionen brachten, abzüglich der Erstattungen.",
    given:
      "„Vergeben“ ist, was Personen, Kampagnen und Übernahmen von einem anderen Anbieter brachten, abzüglich dessen, was davon zurückgenommen wurde.",
    redeemed: "„Eingelöst“ ist, was Gäste ausgaben, abzüglich dessen, was zurückgegeben wurde.",
    other: "„Anderes“ ist Nachgebuchtes, volle Stempelkarten und was zwischen Gästen verschoben wurde."
  },
  openingShort: "Anfang",
  closingShort: "Ende",
  rewards: "Bereitliegende Prämien",
  rewardsHint:
    "Sie stehen neben den Punkten. Gäste bekamen sie geschenkt oder nahmen sie für Punkte, die oben eingelöst sind. Die Spalten gehen nicht auf: Für Punkte genommene, verfallene und stornierte haben keine.",
  noRewards: "Es lagen keine Prämien bereit, kamen dazu oder gingen ab.",
  reward: "Prämie",
  inWallets: "Am Ende bereit",
  given: "Geschenkt",
  used: "Eingelöst",
  value: "Wert einer Prämie",
  walletsWorth: "Wert der bereitliegenden",
  cohorts: "Nach Monat des Sammelns",
  cohortsHint: (month) =>
    `Punkte nach dem Monat, in dem sie gesammelt wurden, bis Ende ${month}. Aus ihnen werden abgegrenzte Erlöse berechnet: Die Anleitung hat ein Beispiel.`,
  noCohorts: "In diesen zwölf Monaten wurden keine Punkte gesammelt.",
  earned: "Gesammelt im",
  issued: "Dazugekommen",
  redeemed: "Eingelöst",
  expired: "Verfallen",
  other: "Erstattungen und anderes",
  open: "Offen",
  closings: "Abgeschlossene Monate",
  noClosings: "Noch keine.",
  closedAt: "Abgeschlossen",
  closedBy: "Von",
  business: "dem Unternehmen",
  hash: "SHA-256",
  hashHint: "Schreiben Sie ihn in Ihre Bücher: Er beweist die Aufstellung später.",
  proof: "Nachweis",
  download: "Als Tabellen herunterladen (Zip)",
  position: "Stelle im Journal",
  positionOf: (epoch, transaction) => `Epoche ${epoch}, Transaktion ${transaction}`,
  head: "SHA-256 des Journals bis dorthin",
  version: "Version des Programms, die beim Abschluss galt",
  close: (month) => `${month} abschließen`,
  closeHint:
    "Die Aufstellung wird für immer aufbewahrt, auch nach Filiale und nach Franchisenehmer, mit den Prämien und der Stelle im Journal, bis zu der sie zählt. Sie kann weder geändert noch zurückgenommen werden.",
  closeMissing:
    "Fehlt etwas vom Monat, wird nichts aufbewahrt und Sie erfahren, was: Punkte, die fällig waren und nicht gebucht sind, oder Bestellungen, die noch nicht gezählt sind.",
  closeFirst: "Es ist der erste abgeschlossene Monat: Die davor können nie mehr abgeschlossen werden.",
  kept: (account) => `${account} am Ende`,
  keptLate: (account) => `${account} nachgebucht`,
  told: (month) => `${month} ist abgeschlossen.`
}
