/** The German texts about a guest: page, ledger, profile, consents, and what people do with a guest. */
import type { Translation } from "../../app/Translation.ts"
import { count, number } from "./german.ts"

export const guest: Translation["guest"] = {
  broughtBy: "Wer den Gast mitgebracht hat",
  broughtByHint: "Dafür dankt die Kampagne, die Freunde wirbt. Leer lassen, wenn es niemand war.",
  enrol: "Gast aufnehmen",
  enrolHint: "Eine dieser Angaben genügt. Einen Gast ohne Karte finden Sie über Name, E-Mail oder Telefon.",
  enrolled:
    "Der Gast ist aufgenommen, aber die Karte wurde nicht hinzugefügt. Korrigieren Sie die Karte und versuchen Sie es noch einmal.",
  birthdayHint: "Wenn der Gast es nennt: für ein Geschenk an dem Tag.",
  mayWrite: (business) => `Darf ${business} dem Gast schreiben?`,
  mayWriteHint:
    "Fragen Sie den Gast, und haken Sie nur an, wozu er Ja sagt. Zum Sammeln ist es nicht nötig, und der Gast kann es jederzeit ändern.",
  offersBy: { email: "Neues und Angebote per E-Mail", sms: "Neues und Angebote per SMS" },
  card: "Kartennummer",
  cardHint: "So, wie sie auf der Karte steht oder die Kasse sie sendet.",
  issuer: "Herausgeber der Karte",
  issuerHint: "Nur wenn Ihre Kassen einen senden: Sie finden keine Karte unter einem anderen Herausgeber.",
  known: "Ist dieser Gast schon hier?",
  knownAs: (balances) => `, ${balances}`,
  addCard: "Karte hinzufügen",
  replace: "Ersetzen",
  replaceOf: (value) => `${value} ersetzen`,
  newCard: "Neue Kartennummer",
  replacePreview: (value) =>
    `Der Gast wird sofort mit der neuen Karte gefunden und nicht mehr mit ${value}. Punkte und Prämien bleiben, wie sie sind.`,
  remove: "Entfernen",
  removeOf: (value) => `${value} entfernen`,
  removePreview: (value) =>
    `Der Gast wird nicht mehr mit ${value} gefunden, und ein anderer Gast kann sie bekommen. Punkte und Prämien bleiben, wie sie sind.`,
  last: "Die letzte Karte oder Kennung kann nicht entfernt werden: Ersetzen Sie sie.",
  cancel: "Zurücknehmen",
  cancelOf: (reward) => `${reward} zurücknehmen`,
  cancelPreview: (reward) =>
    `„${reward}“ liegt nicht mehr bereit, und die Kasse lehnt den Code ab. Punkte, die der Gast dafür bezahlt hat, erhält er zurück; eine geschenkte Prämie wird nicht ersetzt. Das lässt sich nicht rückgängig machen.`
}

export const takeBack: Translation["takeBack"] = {
  label: "Prämien zurücknehmen",
  ofRun: (at) => `Prämien zurücknehmen: Lauf vom ${at}`,
  ofCard: "Prämien zurücknehmen: volle Stempelkarten",
  ofChallenge: (name) => `Prämien zurücknehmen: Aufgabe „${name}“`,
  from: "Vergeben ab",
  fromHint: "Wann der Fehler veröffentlicht wurde. Leer: von Anfang an.",
  until: "Vergeben vor",
  untilHint: "Wann er behoben wurde. Leer: bis jetzt.",
  preview: (n, shown) =>
    n === 0
      ? "Es gibt keine solchen Prämien, die noch nicht verwendet sind."
      : `${shown} nicht verwendete ${count(n, "Prämie wird", "Prämien werden")} zurückgenommen, und die Kasse lehnt die Codes ab. Prämien, die eine Kasse in diesem Augenblick vorgemerkt hat, bleiben. Das lässt sich nicht rückgängig machen.`,
  done: (n, shown, left, shownLeft) =>
    `${shown} ${count(n, "Prämie", "Prämien")} zurückgenommen${left === 0 ? "" : `; ${shownLeft} ${count(left, "blieb", "blieben")}: an einer Kasse vorgemerkt, inzwischen verwendet oder von jemand anderem zurückgenommen, oder über Ihren Grenzen`}`
}

export const ledger: Translation["ledger"] = {
  happened: "Was geschah",
  balance: "Stand danach",
  what: (what, order, where) =>
    [what, order === undefined ? undefined : `Bestellung ${order}`, where]
      .filter((part) => part !== undefined)
      .join(" · "),
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
    expiration_undone: "Verfall rückgängig",
    manual: "Korrektur von Hand"
  },
  cardFull: (reward) => `Stempelkarte voll: ${reward}`,
  rate: (points, spend, multiplier, eligible) => {
    const times = multiplier === undefined ? "" : `, mal ${multiplier} für die damalige Stufe`
    return spend === undefined ? `${points} je Bestellung${times}` : `${points} je ${spend}${times}, auf ${eligible}`
  },
  ordered: (when, day) => `Bestellt ${when}, Geschäftstag ${day}`,
  before: (member) => `Konto ${member}, mit diesem zusammengelegt`,
  balanceOf: (member) => `auf ${member}`
}

export const member: Translation["member"] = {
  notHere: "Alle Gäste",
  merged: "Dieser Gast wurde zusammengelegt mit",
  leaves: (date) => `Dieser Gast will gehen: Am ${date} wird alles gelöscht, wenn er sich nicht vorher anmeldet.`,
  identities: "Karten und andere Kennungen",
  noIdentities: "Keine Karten oder anderen Kennungen.",
  balances: "Punktestände",
  available: "verfügbar",
  spentNoMore: "Diese kann niemand mehr einlösen: Die Mitgliedschaft ist beendet.",
  reserved: "vorgemerkt",
  tier: "Stufe",
  toNext: (amount, tier) => `Noch ${amount} bis ${tier}`,
  topTier: "Die höchste Stufe",
  lots: "Punkte nach Verfall",
  noLots: "Keine Punkte zum Einlösen.",
  earned: "Gesammelt",
  expires: "Verfall",
  never: "nie",
  left: "Übrig",
  of: "von",
  reservations: "Offene Vormerkungen",
  noReservations: "Keine offenen Vormerkungen.",
  wallet: "Bereitliegende Prämien",
  code: "Code:",
  showCode: "Code zeigen",
  noWallet: "Es liegt keine Prämie bereit.",
  ledger: "Buchungen",
  noEntries: "Noch keine Buchungen.",
  operation: "Vorgang",
  allOperations: "Alle Vorgänge",
  operations: {
    accrual: "Gesammelt",
    redemption: "Eingelöst",
    reversal: "Einlösung rückgängig",
    adjustment: "Bestellung korrigiert",
    expiration: "Verfallen",
    manual: "Korrektur von Hand"
  },
  byCampaign: "Kampagne",
  given: "Vergeben",
  amount: "Menge",
  when: "Wann",
  detail: "Einzelheit",
  ordered: "Bestellt",
  by: "Durch",
  itself: "Der Dienst",
  request: (id) => `Anfrage ${id}`,
  orderedOn: (when, day) => `${when}, Geschäftstag ${day}`,
  csv: "Als CSV herunterladen",
  noneMatch: "Keine Buchung passt zu diesen Filtern",
  from: "Von",
  until: "Bis",
  joined: (on) => `Dabei seit ${on}`,
  nextExpires: (amount, at) => `${amount} verfallen am ${at}, wenn sie nicht eingelöst werden.`,
  trail: "Änderungen durch das Team",
  ownTrail: "Ihre Änderungen",
  wholeTrail: "Alle im Protokoll zeigen",
  noTrail: "Noch keine Änderungen.",
  adjust: "Punkte korrigieren",
  notPossible: "Das ist nicht möglich",
  unit: "Konto",
  amountHint: "Eine negative Menge zieht Punkte ab.",
  classification: "Art",
  qualifies: "Zählt für die Stufe",
  adjusted: (gift, guest, balance) => `${gift} für ${guest}, jetzt ${balance}.`,
  previewOf: (before, after) => `Der Stand geht von ${before} auf ${after}.`,
  issue: "Prämie vergeben",
  reward: "Prämie",
  issuePreview: (reward) => `„${reward}“ liegt sofort für den Gast bereit.`,
  suspend: "Sperren",
  suspendPreview:
    "Der Gast kann nicht sammeln oder einlösen. Offene Vormerkungen können noch abgeschlossen und Bestellungen erstattet werden. Sie können den Gast wieder aktivieren.",
  activate: "Aktivieren",
  activatePreview: "Der Gast kann wieder sammeln und einlösen.",
  close: "Mitgliedschaft beenden",
  closePreview: (guest, lost) =>
    `Das lässt sich nicht rückgängig machen. ${guest} kann nichts mehr einlösen${lost === "" ? "" : `: ${lost}`}. Offene Vormerkungen werden freigegeben, bereitliegende Prämien gestrichen. Die Buchungen bleiben erhalten.`,
  closeBeyond:
    "Mit dieser Mitgliedschaft endet mehr, als Ihre Grenzen erlauben. Jemand mit höheren Grenzen kann sie beenden.",
  signInLink: {
    make: "Link zum Anmelden",
    title: "Der Link des Gastes zum Anmelden",
    effect:
      "Erzeugt einen Link, der diesen Gast auf der Gästeseite anmeldet: einmal, innerhalb von 15 Minuten. Wer ihn hat, sieht Punkte, Karte und Verlauf und holt Prämien. Im Protokoll steht, wer ihn erzeugt hat.",
    hint: "Lassen Sie den Gast den Code scannen, oder schicken Sie den Link nur dem Gast. Er gilt einmal, innerhalb von 15 Minuten.",
    picture: "Der Link als QR-Code",
    copy: "Link kopieren",
    copied: "Kopiert",
    lost: "Der Link wurde erzeugt, aber die Antwort ging verloren. Erzeugen Sie noch einen."
  },
  byManager: (actions) => `Das kann die Leitung tun: ${actions}.`,
  merge: "Mit anderem zusammenlegen",
  mergeInto: "Gast, der bleibt",
  mergeSides: { from: "Wird beendet", into: "Bleibt" },
  mergeNames: { from: (name) => `${name} (wird beendet)`, into: (name) => `${name} (bleibt)` },
  mergePreview: (from, into) =>
    `${into} übernimmt, was ${from} hat, auch den Fortschritt zur nächsten Stufe. ${from} wird endgültig beendet. Dessen Buchungen und die Auswertungen der Kampagnen ändern sich nicht.`,
  mergeMoves: (what) => `Geht über: ${what}`,
  mergeIdentities: (kind, n) => `Kennungen „${kind}“ (${n})`,
  mergeCards: (cards) => `Volle Stempelkarten: ${cards}`,
  mergeCopies: (what) => `Wird übernommen, weil es dem anderen fehlt: ${what}`,
  mergeConsent: (purpose, channel, granted) =>
    `Einwilligung in ${purpose}${channel === undefined ? "" : ` über ${channel}`}: ${granted ? "erteilt" : "widerrufen"}`,
  mergeAfter: (into, balances) => `${into} hat dann ${balances}`,
  mergeTier: (into, tier) => `${into} ist dann in der Stufe ${tier}`,
  mergeOrders: (into) => `Erstattungen früherer Bestellungen gehen an ${into}`,
  mergeLeaves: (into, date) =>
    `Einer von beiden wollte gehen: Alles von ${into} wird am ${date} gelöscht, wenn sich der Gast nicht vorher anmeldet`,
  mergeDrops: (from, what) => `Wird bei ${from} gelöscht, weil der andere es selbst hat: ${what}`,
  moveOrder: {
    label: "Bestellung übertragen",
    name: (order) => `Bestellung übertragen: ${order}`,
    to: "Gast, dem sie gehört",
    effect: (id, amount, balance) => `${id}: ${amount}, dann ${balance}.`
  }
}

export const profile: Translation["profile"] = {
  title: "Profil",
  everything: "Alles herunterladen",
  toPrint: "Alles zum Drucken",
  fields: {
    display_name: "Name",
    email: "E-Mail",
    phone: "Telefon",
    birth_date: "Geburtsdatum",
    external_id: "Kundennummer"
  },
  phoneHint: (country) =>
    country === undefined
      ? "Mit Ländervorwahl, zum Beispiel +493012345678."
      : `Nummern aus einem anderen Land als ${country} brauchen ihre Ländervorwahl, zum Beispiel +493012345678.`,
  externalHint: "Die Nummer des Gastes in einem anderen Ihrer Systeme, zum Beispiel im Onlineshop.",
  attributes: "Merkmale",
  joinedAt: "Angemeldet in der Filiale",
  attribute: "das Merkmal",
  attributeName: "Merkmal",
  valueOf: (name) => `Wert von ${name}`,
  kindOf: (name) => `Art von ${name}`,
  kinds: { text: "Text", number: "Zahl", flag: "Ja oder nein" },
  yes: "Ja",
  no: "Nein",
  otherHint: "Dieser Wert hat mehrere Teile und kann hier nicht bearbeitet werden.",
  addAttribute: "Merkmal hinzufügen",
  entryFaults: { repeated: "Dieser Name ist schon vergeben.", noNumber: "Geben Sie eine Zahl ein." },
  nothing: "–",
  edit: "Profil bearbeiten",
  save: "Speichern",
  changedMeanwhile: (field, value) =>
    `„${field}“ wurde inzwischen auf „${value}“ geändert. Speichern Sie noch einmal, um das zu ersetzen.`,
  changedLast: (at) => `Zuletzt geändert am ${at}`,
  unchangeable: {
    suspended: "Das Profil eines gesperrten Gastes kann nicht geändert werden. Aktivieren Sie den Gast zuerst.",
    closed: "Das Profil einer beendeten Mitgliedschaft kann nicht geändert werden."
  },
  erase: "Persönliche Daten löschen",
  erased: "Alle persönlichen Daten dieses Gastes wurden gelöscht.",
  eraseWarning: "Das lässt sich nicht rückgängig machen",
  closes: "Die Mitgliedschaft wird beendet. Übrige Punkte können nicht mehr eingelöst werden.",
  goes: "Wird endgültig gelöscht",
  going: [
    "Name, E-Mail, Telefon, Geburtsdatum, Kundennummer und Merkmale",
    "Alle Einwilligungen",
    "Karten und andere Kennungen: Ein neuer Gast kann sie verwenden",
    "Einzelheiten aufgezeichneter Ereignisse",
    "Offene Vormerkungen und bereitliegende Prämien"
  ],
  stays: "Bleibt",
  staying: [
    "Die Buchungen mit ihren Punkten, unter der Gast-ID",
    "Das Protokoll mit Ihrem Grund",
    "Daten, die schon an andere Systeme gesendet wurden"
  ],
  typeToErase: (name) => `Tippen Sie zur Bestätigung ${name}`
}

export const consent: Translation["consent"] = {
  title: "Einwilligungen",
  none: "Noch ist keine Einwilligung erfasst.",
  history: "Alle Antworten",
  when: "Wann",
  recordedBy: "Erfasst von",
  itself: "der Dienst",
  purpose: "Zweck",
  purposeHint: "Wofür Sie den Gast ansprechen, zum Beispiel marketing oder analytics.",
  channel: "Kanal",
  allChannels: "Alle Kanäle",
  channels: { email: "E-Mail", sms: "SMS", push: "Push-Nachrichten" },
  answer: "Antwort",
  agrees: "Einverstanden",
  refuses: "Nicht einverstanden",
  source: "Herkunft",
  sourceHint: "Wo der Gast geantwortet hat, zum Beispiel „an der Theke“.",
  noSource: "Herkunft unbekannt",
  guestPage: (version) => `die Gästeseite, Text ${version}`,
  console: "im Restaurant gefragt",
  enter: "Antwort erfassen",
  before: (id) => `Von ${id}, vor dem Zusammenlegen`,
  onlyWithdraw: "Der Gast ist gesperrt: Einwilligungen können nur widerrufen werden.",
  grant: "Erteilen",
  withdraw: "Widerrufen",
  of: (purpose, channel) => `${purpose}, ${channel}`,
  willGrant: (of) => `Ab jetzt ist der Gast einverstanden: ${of}.`,
  willWithdraw: (of) => `Ab jetzt ist der Gast nicht mehr einverstanden: ${of}.`
}

export const location: Translation["location"] = {
  title: "Filialen",
  add: "Filiale hinzufügen",
  addSubmit: "Hinzufügen",
  rename: "Bearbeiten",
  save: "Speichern",
  name: "Name",
  unnamed: "noch ohne Namen",
  id: "ID der Filiale",
  idHint: "So, wie die Kasse sie in scope.location_id sendet.",
  nameHint: "Wie sie allgemein heißt, zum Beispiel Ostbahnhof.",
  address: "Adresse",
  brand: "Marke",
  franchisees: "Franchisenehmer",
  franchiseeId: "ID des Franchisenehmers",
  franchiseeOf: (today) => `ID des Franchisenehmers (${today})`,
  brands: "Marken",
  brandId: "ID der Marke",
  brandOf: (today) => `ID der Marke (${today})`,
  partyHint:
    "Bestellungen ab diesem Tag gehören dazu. Lassen Sie die früheren Einträge stehen. Eine leere ID beendet den Eintrag davor.",
  since: "Ab",
  remove: "Entfernen",
  addParty: (label) => `Eintrag hinzufügen: ${label}`,
  zone: "Zeitzone",
  programZone: (zone) => `Die des Programms (${zone})`,
  lastOrder: (zone) => `Letzte Bestellung (${zone})`,
  exactTo: "Letzte Bestellung genau auf",
  toQuarter: "15 Minuten",
  toDay: "einen Tag",
  silentDays: "Offene Tage ohne Bestellung",
  counted: (all, silent) =>
    `${number(all)} ${count(all, "Filiale", "Filialen")}, davon ${silent === 0 ? "keine" : number(silent)} ohne Bestellungen`,
  about: (time) => `etwa ${time}`,
  never: "noch keine Bestellung",
  closed: "Endgültig geschlossen",
  closedHint: "Sie verschwindet aus den Listen. Vergangenes behält ihren Namen.",
  showClosed: (n) => `Geschlossene zeigen (${number(n)})`,
  silent: "Still",
  silentHint: (n) => `keine Bestellung an ${number(n)} offenen ${count(n, "Tag", "Tagen")}`,
  own: {
    title: "Filialen",
    hint: "Bestellungen nach Geschäftstag. Punkte zählen am Tag ihrer Buchung.",
    from: "Von",
    to: "Bis",
    orders: "Bestellungen",
    spend: "Anrechenbarer Umsatz",
    earned: "Gesammelte Punkte",
    redeemed: "Eingelöste Punkte",
    adjusted: "Korrigierte Punkte",
    day: "Geschäftstag",
    byDay: "Nach Tagen",
    nothing: "Keine Bestellungen in diesen Tagen",
    nothingHint: "Wählen Sie andere Tage.",
    guest: "Ein Gast",
    guestHint:
      "Die ganze Nummer einer Karte, eine ganze E-Mail-Adresse oder Telefonnummer, oder eine Bestellung von hier.",
    known: "Karte, E-Mail oder Telefonnummer",
    order: "Bestellnummer",
    look: "Nachsehen",
    unknown: "Damit ist hier kein Gast bekannt. Wer hier noch nicht bestellt hat, muss eine Karte mitbringen.",
    balance: "Punktestand",
    elsewhere: (amount) => `${amount} kamen und gingen anderswo`,
    entries: "Punkte hier",
    when: "Wann",
    what: "Was",
    points: "Punkte",
    noEntries: "Hier noch keine Punkte",
    noEntriesHint: "Hier stehen nur Punkte Ihrer Filialen.",
    give: "Punkte geben oder abziehen",
    amount: "Punkte, negativ zum Abziehen",
    restaurant: "Filiale",
    guestId: "Gast",
    closed: "Storniert oder erstattet",
    csv: "Als CSV herunterladen",
    redemptions: "Einlösungen",
    csvOfRedemptions: "Einlösungen als CSV herunterladen",
    noRedemptions: "Keine Einlösungen in diesen Tagen",
    reward: "Prämie",
    givenBack: "Zurückgegeben",
    ofWallet: "Aus dem Konto",
    done: "Erledigt. Der Punktestand ist aktuell."
  },
  none: "Noch keine Filialen",
  noneHint: "Sie erscheinen mit ihrer ersten Bestellung, oder wenn Sie sie hinzufügen."
}
