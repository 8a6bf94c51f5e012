/** The German texts of the programme's page, and of its accounts, earning, expiry and guests' page. */
import type { Translation } from "../../app/Translation.ts"
import { count, number } from "./german.ts"

export const programme: Translation["programme"] = {
  title: "Programm",
  none: "Keine Programme",
  noneHint:
    "Bitten Sie den Betreiber um ein Token für das Programm. Bei einem neuen Dienst laden Sie das erste Programm mit PROGRAMS.",
  version: (version, at, by) => `Version ${number(version)}, veröffentlicht ${at} von ${by}`,
  rehearsal:
    "Dieses Programm ist ein Probelauf: Gäste erfahren nichts, Konnektoren und Kampagnen ruhen. Um ihn zu beenden, schalten Sie unter „Allgemein“, „Alle Einstellungen“ den Probelauf ab und veröffentlichen Sie.",
  retired: "Dieses Programm ist stillgelegt. Nur Einlösungen, Rückgaben, Erstattungen und Verfall gehen weiter.",
  sections: {
    general: "Allgemein",
    earning: "Sammeln",
    accounts: "Konten",
    tiers: "Stufen",
    rewards: "Prämien",
    promotions: "Aktionen",
    challenges: "Aufgaben",
    expiry: "Verfall",
    stampCard: "Stempelkarte",
    guestPage: "Gästeseite"
  },
  changes: "Änderungen gegenüber der geltenden Version",
  noChanges: "Noch keine Änderungen. Ändern Sie etwas, um zu sehen, was die Veröffentlichung bewirken würde.",
  errors: "Fehler",
  warning: "Wahrscheinlich ein Versehen",
  blocking: "Nicht erlaubte Änderungen",
  affected: (members, reservations, rewards) =>
    `Zurzeit im Programm: ${members} Gäste, ${reservations} offene Vormerkungen, ${rewards} bereitliegende Prämien.`,
  publish: "Veröffentlichen",
  review: "Änderungen prüfen",
  publishPreview: "Es gilt sofort an jeder Kasse. Frühere Buchungen ändern sich nicht.",
  note: "Anmerkung für den Verlauf",
  versionColumn: "Version",
  published: "Veröffentlicht",
  historyNote: "Anmerkung",
  discard: "Meine Änderungen verwerfen",
  discardQuestion: {
    title: "Ihre Änderungen verwerfen?",
    hint: "Die Formulare zeigen wieder die geltende Version. Was Sie eingegeben haben, geht verloren.",
    stay: "Behalten",
    leave: "Verwerfen"
  },
  conflict:
    "Inzwischen wurde eine andere Version veröffentlicht. Es wurde nichts geändert: Sehen Sie sich an, was oben steht, und veröffentlichen Sie dann noch einmal.",
  meanwhile: (version, by) =>
    `Nachdem Sie begonnen hatten, hat ${by} Version ${number(version)} veröffentlicht. Ihre Änderungen beziehen sich jetzt auf diese Version.`,
  both: (field) => `${field} wurde auch dort geändert. Ihre Eingabe bleibt erhalten.`,
  history: "Verlauf",
  noNote: "ohne Anmerkung",
  rollBack: "Wieder veröffentlichen",
  rollBackOf: (version) => `Wieder veröffentlichen: Version ${number(version)}`,
  sameAsNow: "Sie ist gleich wie die geltende Version.",
  rollBackPreview: (version) => `Veröffentlicht den Stand von Version ${number(version)} als neueste Version.`,
  retire: "Stilllegen",
  retirePreview:
    "Bestellungen sammeln nichts und nichts kann eingelöst werden, bis Sie es wieder in Betrieb nehmen. Es geht nichts verloren.",
  restore: "Wieder in Betrieb nehmen",
  restorePreview: "Bestellungen sammeln sofort wieder, und Prämien können wieder eingelöst werden.",
  firstVersion: "die erste Version",
  added: (words) => `neu: ${words}`,
  gone: (words) => `entfernt, war: ${words}`,
  changed: (n) => `${number(n)} ${count(n, "Änderung", "Änderungen")}`,
  changedIn: (n, version) => `${number(n)} ${count(n, "Änderung", "Änderungen")} in Version ${version}`
}

export const card: Translation["card"] = {
  name: "Name",
  nameHint: "Gäste sehen ihn.",
  description: "In einem Satz, freiwillig",
  edit: "Bearbeiten",
  editOf: (name) => `${name} bearbeiten`,
  remove: "Entfernen",
  removeOf: (name) => `${name} entfernen`,
  removed: (name) => `${name} ist entfernt.`,
  putBack: "Zurückholen",
  switchOff: "Abschalten",
  switchOffOf: (name) => `${name} abschalten`,
  switchOn: "Einschalten",
  switchOnOf: (name) => `${name} einschalten`,
  incomplete: "Noch nicht vollständig. Was fehlt, steht unter „Alle Einstellungen“.",
  save: "In den Entwurf übernehmen",
  drafted: "Es steht im Entwurf. Veröffentlichen Sie den Entwurf, damit es gilt.",
  unpublished: "Noch nicht veröffentlicht",
  draftHint: "Es gilt, sobald Sie veröffentlichen."
}

export const general: Translation["general"] = {
  title: "Das Programm",
  edit: "Name, Zeitzone, Land und Wert ändern",
  advanced: "Alle Einstellungen des Programms",
  unnamed: "Es hat noch keinen Namen.",
  currency: (name) => `Beträge sind in ${name}. Die Währung eines Programms bleibt.`,
  zone: (zone) => `Tage, Wochen und Monate gelten in ${zone}.`,
  country: (code) => `Telefonnummern ohne Ländervorwahl sind aus ${code}.`,
  worth: (n, points, money) =>
    `In den Zahlen ${count(n, "ist", "sind")} ${points} ${count(n, "Punkt", "Punkte")} ${money} wert.`,
  noWorth: "Die Zahlen nennen keinen Geldwert der Punkte: Noch hat niemand gesagt, was Punkte wert sind.",
  own: (pairs) => `Eigene Daten: ${pairs}`,
  dialog: {
    zone: "Zeitzone",
    zoneHint: "Tage, Wochen und Monate beginnen und enden dort.",
    noZone: "Keine eigene: die der Stufen, sonst UTC",
    country: "Land der Gäste, freiwillig",
    countryHint:
      "Zwei Buchstaben, zum Beispiel DE. Importe lesen damit Telefonnummern ohne Ländervorwahl. Für Codes auf Telefone ist es nötig.",
    points: "So viele Punkte, freiwillig",
    worth: (currency) => `Sind wert (${currency})`,
    worthHint:
      "Nur für die Zahlen: was Sie Gästen schulden und was Prämien kosten. Beide leer: kein Geldwert der Punkte.",
    faults: {
      name: "Geben Sie einen Namen ein.",
      country: "Geben Sie zwei Buchstaben ein, zum Beispiel DE, oder lassen Sie es leer.",
      points: "Geben Sie eine ganze Zahl von 1 bis 1.000.000 ein, oder lassen Sie beide leer.",
      worth: "Geben Sie einen Betrag über 0 ein, zum Beispiel 1,00, oder lassen Sie beide leer."
    }
  },
  accounts: {
    title: "Was Gäste sammeln",
    none: "Noch keine Konten. Fügen Sie das erste hinzu.",
    add: "Konto hinzufügen",
    advanced: "Alle Einstellungen der Konten",
    unnamed: (place) => `Konto ${number(place)}`,
    primary: "Das Hauptkonto",
    other: "Neben dem Hauptkonto",
    kind: (unit) => `Gezählt als ${unit}`,
    earnsNothing: "Keine Bestellung gibt etwas davon.",
    unit: "Was es zählt",
    name: "Wie Gäste es nennen, freiwillig",
    nameHint: (unit) => `Leer: ${unit}.`,
    perOrder: "Jede Bestellung gibt so viele",
    perOrderHint: "0: Keine Bestellung gibt etwas. Nach Umsatz: unter „Sammeln“, „Alle Einstellungen“.",
    earnedByRule: "Wie es gesammelt wird, steht unter „Sammeln“.",
    full: "Jede Art hat schon ihr Konto.",
    faults: { perOrder: "Geben Sie eine ganze Zahl ein." }
  },
  stampCard: {
    title: "Stempelkarte",
    edit: "Stempelkarte ändern",
    advanced: "Alle Einstellungen der Stempelkarte",
    none: "Es gibt keine Stempelkarte.",
    fills: (n, unit) => `${n} ${unit} machen die Karte voll`,
    gives: (reward) => `Eine volle Karte gibt: ${reward}`,
    resets: "Danach ist die Karte wieder leer",
    stays: "Womit sie gefüllt wurde, bleibt auf dem Konto",
    usable: (n, shown) => `Innerhalb von ${shown} ${count(n, "Tag", "Tagen")} zu verwenden`,
    has: "Gäste haben",
    kinds: { none: "Keine Stempelkarte", card: "Eine Stempelkarte" },
    unit: "Was sie füllt",
    fillings: {
      order: "Ein Stempel für jede Bestellung",
      items: "Ein Stempel für jeden Artikel dieser Produkte"
    },
    threshold: "Wie viele sie füllen",
    reward: "Was eine volle Karte gibt",
    choose: "Prämie wählen",
    needsReward: "Eine Stempelkarte gibt eine Prämie. Fügen Sie zuerst unter „Prämien“ eine hinzu.",
    empties: "Eine volle Karte wird geleert",
    days: "Tage, in denen die Prämie verwendet werden kann, freiwillig",
    faults: {
      threshold: "Geben Sie eine ganze Zahl ab 1 ein.",
      products: "Geben Sie mindestens ein Produkt oder eine Kategorie ein.",
      reward: "Wählen Sie eine Prämie.",
      days: "Geben Sie eine Zahl über 0 ein."
    }
  }
}

export const earning: Translation["earning"] = {
  title: "Wie Bestellungen sammeln",
  edit: "Ändern, wie Bestellungen sammeln",
  advanced: "Alle Einstellungen des Sammelns",
  rate: (points, unit, spend) => `${points} ${unit} je ${spend}`,
  perOrder: (points, unit) => `${points} ${unit} je Bestellung`,
  rounded: "Auf ganze Punkte abgerundet, einmal für die ganze Bestellung",
  from: (spend) => `Bestellungen ab ${spend} anrechenbarem Umsatz`,
  anySpend: "Bestellungen jeder Höhe",
  channels: (named) => `Bestellt über: ${named}`,
  anyChannel: "Wie auch immer bestellt wird",
  nothingFor: (what) => `Nichts für ${what}`,
  excluded: {
    products: (ids) => `die Produkte ${ids}`,
    categories: (ids) => `die Kategorien ${ids}`,
    tags: (names) => `alles mit dem Etikett ${names}`,
    kinds: (names) => `Positionen der Art ${names}`,
    tenders: (names) => `alles, was mit ${names} bezahlt wird`
  },
  most: (points) => `Höchstens ${points} Punkte je Bestellung`,
  mostOrders: (n, shown) => `Höchstens ${shown} ${count(n, "Bestellung", "Bestellungen")} eines Gastes am Tag`,
  mostTotal: (money) => `Bestellungen über ${money} werden abgelehnt`,
  dialog: {
    points: (unit) => `Wie viele ${unit}`,
    spend: (currency) => `Je (${currency})`,
    fixed: "Jede Bestellung sammelt gleich viel. Die Menge steht unter „Alle Einstellungen“.",
    least: (currency) => `Ab diesem Umsatz (${currency})`,
    channels: "Bestellt über",
    exclusions: "Was nichts sammelt",
    products: "Diese Produkte",
    categories: "Diese Kategorien",
    tags: "Positionen mit diesen Etiketten",
    kinds: "Positionen dieser Arten",
    idsHint: "So, wie die Kasse sie sendet. Drücken Sie nach jeder Enter.",
    faults: {
      points: "Geben Sie eine ganze Zahl ein.",
      spend: "Geben Sie einen Betrag über 0 ein, zum Beispiel 1,00.",
      least: "Geben Sie einen Betrag ein, zum Beispiel 5,00.",
      channels: "Wählen Sie mindestens einen."
    }
  },
  expiry: {
    title: "Wann Punkte verfallen",
    edit: "Ändern, wann Punkte verfallen",
    advanced: "Alle Einstellungen des Verfalls",
    never: "Punkte verfallen nie.",
    after_earned: (time) => `Punkte verfallen ${time}, nachdem sie gesammelt wurden`,
    after_inactivity: (time) =>
      `Alle Punkte eines Gastes verfallen ${time} nach der letzten Bestellung, die gesammelt hat. Mit jeder solchen Bestellung beginnt die Frist neu.`,
    days: (n, shown) => `${shown} ${count(n, "Tag", "Tage")}`,
    months: (n, shown) => `${shown} ${count(n, "Monat", "Monate")}`,
    ends: {
      instant: "auf die Minute genau",
      end_of_day: "am Ende dieses Tages",
      end_of_month: "am Ende dieses Monats",
      end_of_year: "am Ende dieses Jahres"
    },
    sentence: (what, end) => `${what}, ${end}.`,
    warned: (days, n) => `${days} ${count(n, "Tag", "Tage")} vorher gibt es eine Erinnerung.`,
    unwarned: "Vorher gibt es keine Erinnerung.",
    kind: "Punkte verfallen",
    kinds: {
      never: "Nie",
      after_earned: "Einige Zeit nach dem Sammeln",
      after_inactivity: "Einige Zeit, nachdem der Gast zuletzt gesammelt hat"
    },
    count: "Nach wie vielen",
    unit: "Wovon",
    units: { days: "Tage", months: "Monate" },
    end: "Wann genau",
    warnings: "So viele Tage vorher erinnern",
    warningsHint: "Drücken Sie nach jeder Zahl Enter.",
    faults: { count: "Geben Sie eine ganze Zahl ab 1 ein.", warnings: "Geben Sie ganze Zahlen ab 1 ein." }
  }
}

export const guestPage: Translation["guestPage"] = {
  title: "Die Gästeseite",
  edit: "Gästeseite ändern",
  advanced: "Alle Einstellungen der Gästeseite",
  none: "Gäste haben keine Seite. Mit einer sehen sie ihre Punkte, zeigen ihre Karte und reichen Bons ein.",
  at: (address) => `Gäste finden sie unter ${address}`,
  languages: (names) => `Sie spricht ${names}`,
  links: (labels) => `Sie führt zu ${labels}`,
  picture: (scheme) => `Die Seite, ${scheme}`,
  schemes: { light: "hell", dark: "dunkel" },
  has: "Gäste haben",
  kinds: { none: "Keine Seite", page: "Eine Seite" },
  name: "Name über der Seite",
  colour: "Farbe, zum Beispiel #1a7f5a",
  colourHint:
    "Text darauf ist schwarz oder weiß, je nachdem, was besser lesbar ist. Links haben sie, wo sie lesbar sind.",
  language: "Sprachen",
  languageNames: { en: "Englisch", de: "Deutsch" },
  languageSets: { en: "Englisch", de: "Deutsch", "en,de": "Englisch und Deutsch", "de,en": "Deutsch und Englisch" },
  languageHint: "Die erste ist für Gäste, deren eigene Sprache fehlt.",
  linkLabel: (n) => `Text von Link ${number(n)}`,
  linkUrl: (n) => `Adresse von Link ${number(n)}`,
  addLink: "Link hinzufügen",
  linksHint: "Zum Beispiel Speisekarte, Impressum und Datenschutz. Leere werden ausgelassen.",
  faults: {
    name: "Geben Sie 1 bis 60 Zeichen ein.",
    colour: "Geben Sie # und sechs Ziffern oder Buchstaben von a bis f ein, zum Beispiel #1a7f5a.",
    links: "Jeder Link braucht einen Text, höchstens 40 Zeichen, und eine Adresse, die mit https:// beginnt."
  },
  logo: {
    title: "Logo",
    none: "Es gibt kein Logo. Die Seite zeigt nur ihren Namen.",
    ofBusiness: "Das Programm hat kein eigenes Logo. Die Seite zeigt das aus „Eigenes Aussehen“ unter „Team“.",
    alt: "Das Logo",
    size: (width, height) => `${width} × ${height} Pixel`,
    choose: "Bild wählen",
    hint: "PNG, höchstens 200 kB und 2.048 Pixel je Seite. Gäste sehen es sofort, ohne Veröffentlichung.",
    notPng: "Das ist kein PNG. Speichern Sie das Bild als PNG und wählen Sie es dann noch einmal.",
    tooLarge: (kB) =>
      `Dieses Bild hat ${kB} kB. Es darf 200 kB haben: Verkleinern Sie es und wählen Sie es dann noch einmal.`,
    tooWide: (width, height) =>
      `Dieses Bild ist ${width} × ${height} Pixel groß. Es darf 2.048 je Seite haben: Verkleinern Sie es und wählen Sie es dann noch einmal.`,
    remove: "Logo entfernen",
    removeEffect: "Gäste sehen innerhalb einer halben Minute nur noch den Namen.",
    removeForBusiness: "Gäste sehen innerhalb einer halben Minute stattdessen das Logo aus „Eigenes Aussehen“."
  },
  table: {
    title: "Karten für die Tische",
    hint: "Gäste scannen sie, machen mit und haben ab dem nächsten Besuch Punkte.",
    place: "Filiale",
    anywhere: "Keine bestimmte",
    code: "Ein Code, der zum Mitmachen führt",
    print: "Karte drucken",
    save: "Code als SVG speichern"
  }
}
