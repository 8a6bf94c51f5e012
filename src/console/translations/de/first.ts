/** The German texts of the first pages: sign-in, frame, lists, and forms of any kind. */
import type { Translation } from "../../app/Translation.ts"
import { count, unitName } from "./german.ts"
import { today } from "./today.ts"

export const first: Translation["first"] = {
  product: "Lotbook",
  nav: {
    label: "Seiten",
    today: "Heute",
    finance: "Buchhaltung",
    service: "Dienst",
    counter: "Theke",
    members: "Gäste",
    restaurants: "Filialen",
    audience: "Marketing",
    programme: "Programm",
    developers: "Technik",
    audit: "Protokoll",
    people: "Team",
    account: "Mein Konto",
    docs: "Dokumentation",
    help: (of) => (of === undefined ? "Hilfe" : `Hilfe: ${of}`),
    signOut: "Abmelden",
    skip: "Zum Inhalt der Seite springen",
    menu: "Menü",
    language: "Sprache",
    program: "Programm",
    light: "Helle Farben verwenden",
    dark: "Dunkle Farben verwenden",
    sandbox: "Testumgebung: Nichts hier ist echt",
    frozen: "Buchungen sind gesperrt: Es kann nichts gespeichert werden"
  },
  signIn: {
    title: (business) => (business === undefined ? "Anmelden" : `Bei ${business} anmelden`),
    passkey: "Mit Passkey anmelden",
    passkeyHint: "Mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts.",
    provider: "Mit dem Firmenkonto anmelden",
    firstStart: "Noch hat niemand ein Konto. Melden Sie sich mit dem Admin-Schlüssel an und legen Sie Ihres an.",
    keyInstead: "Stattdessen einen Schlüssel verwenden",
    withKey: "Mit einem Schlüssel anmelden",
    hint: "Der Admin-Schlüssel, für den ersten Start und für Notfälle, oder ein Token.",
    tokenHint: "Ein Token, das für Sie ausgestellt wurde. Mit dem Admin-Schlüssel kann man sich hier nicht anmelden.",
    key: "Schlüssel oder Token",
    submit: "Anmelden",
    ended:
      "Ihre Sitzung ist abgelaufen. Melden Sie sich wieder an, um weiterzumachen. Ihre Eingaben auf dieser Seite bleiben erhalten."
  },
  states: {
    loading: "Wird geladen …",
    ended: "Ihre Sitzung war abgelaufen, es wurde nichts geändert. Versuchen Sie es noch einmal.",
    notSignedIn: (why) => `Sie sind nicht angemeldet. ${why}`,
    retry: "Noch einmal versuchen",
    failed: "Das konnte nicht geladen werden",
    signedOut: "Sie sind abgemeldet. Melden Sie sich wieder an.",
    forbidden: "Ihr Schlüssel erlaubt das nicht",
    accessChanged: "Ihre Rechte wurden geändert. Die Seite zeigt, was Sie jetzt dürfen.",
    forbiddenHint: "Bitten Sie den Betreiber um ein Token mit der Berechtigung, die in der Meldung steht.",
    roleForbids: "Ihre Rolle erlaubt das nicht",
    roleLacks:
      "Diese Seite ist für Ihre Rolle nicht vorgesehen. Wenn Sie sie brauchen, bitten Sie einen Inhaber, Ihre Rolle zu ändern.",
    limitForbids: "Eine Beschränkung auf Filialen erlaubt das nicht",
    limitLacks:
      "Diese Seite zeigt den ganzen Betrieb, und Sie sind nur für Filialen angemeldet. Wenn Sie sie brauchen, bitten Sie einen Inhaber, die Beschränkung aufzuheben.",
    ownRows:
      "Die Schnittstelle hat die Zeilen Ihrer Filialen: finance/roll-forward mit by=franchisee oder by=location.",
    ownRowsGuide: "Inhaber mit Franchisenehmern",
    mayNotGive: "Dabei werden Punkte oder Prämien vergeben. Das ist mit dieser Anmeldung nicht erlaubt.",
    lacks: (scope) =>
      `Für diese Seite ist die Berechtigung ${scope} nötig. Bitten Sie den Betreiber um ein Token, das sie hat.`,
    unreachable:
      "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal. Ihre Eingaben bleiben erhalten.",
    lost: "Der Dienst antwortet nicht. Die Anzeige kann veraltet sein, und im Moment kann nichts gespeichert werden.",
    updated: "Die Konsole wurde aktualisiert. Versuchen Sie es noch einmal: Die Seite wird neu geladen.",
    looking: "Wird gesucht …",
    outdated:
      "Nicht gespeichert: Jemand anderes hat das geändert, nachdem Sie es geöffnet hatten. Ihre Eingaben bleiben erhalten.",
    seeOther: "Die andere Änderung in einem neuen Tab öffnen",
    replaceOther: "Beim Speichern die andere Änderung überschreiben",
    unexpected:
      "Diese Seite kann die Antwort des Dienstes nicht lesen. Laden Sie die Seite neu: Sie ist vielleicht veraltet.",
    notFound: "Seite nicht gefunden",
    notFoundHint: "Prüfen Sie die Adresse auf Tippfehler.",
    toFirst: "Zur ersten Seite",
    unavailable:
      "Der Dienst ist gerade nicht verfügbar. Versuchen Sie es in ein paar Sekunden noch einmal. Ihre Eingaben bleiben erhalten.",
    limits: {
      points_per_action: (allowed, left) =>
        `Sie dürfen höchstens ${allowed} Punkte auf einmal geben oder abziehen${left === allowed ? "" : `, jetzt noch ${left}`}`,
      points_per_day: (allowed, left) => `Sie dürfen am Tag ${allowed} Punkte geben oder abziehen, heute noch ${left}`,
      rewards_per_day: (allowed, left) =>
        `Sie dürfen am Tag ${allowed} Prämien geben oder zurücknehmen, heute noch ${left}`,
      orders_moved_per_day: (allowed, left) =>
        `Sie dürfen am Tag ${allowed} Bestellungen übertragen, heute noch ${left}`
    },
    limited: (limit, roles) =>
      `Es wurde nichts vergeben: ${limit}. ${roles === "" ? "" : `Mehr dürfen: ${roles}. `}Ihre Eingaben bleiben erhalten.`,
    beyond: (limit, roles) => `${limit}.${roles === "" ? "" : ` Mehr dürfen: ${roles}.`}`,
    more: "Mehr anzeigen",
    filter: "Filtern",
    cancel: "Abbrechen",
    close: "Schließen",
    reason: "Grund",
    reasonHint: "Steht später im Protokoll. Geben Sie keine persönlichen Daten ein.",
    atFields: "Nicht gespeichert. Korrigieren Sie die markierten Felder.",
    done: (what) => `Erledigt: ${what}.`,
    saved: (what) => `Gespeichert: ${what}.`
  },
  values: {
    absent: "keine Angabe",
    nothing: "nichts",
    yes: "ja",
    no: "nein",
    changed: (was, is) => `war ${was}, ist ${is}`,
    removed: (was) => `war ${was}, ist entfernt`,
    quoted: (words) => `„${words}“`,
    inSentence: (label) => label,
    unit: unitName,
    unitOf: (n, label) => {
      const name = unitName(label)
      return n === 1 ? name.replace(/punkte$/i, (points) => points.slice(0, -1)) : name
    }
  },
  unsaved: {
    title: "Ohne Speichern verlassen?",
    hint: "Wenn Sie die Seite verlassen, gehen die nicht gespeicherten Änderungen verloren.",
    stay: "Bleiben",
    leave: "Ohne Speichern verlassen"
  },
  once: {
    title: "Ohne Kopie schließen?",
    hint: "Es kann nicht noch einmal angezeigt werden.",
    stay: "Zurück",
    leave: "Schließen",
    notCopied: "Nicht kopiert: Markieren Sie den Text und kopieren Sie ihn"
  },
  today,
  members: {
    title: "Gäste",
    search: "Suche",
    searchHint: "Name, E-Mail, Ende von Telefon/Karte, ID, Bestellung",
    status: "Zustand",
    statuses: { active: "Aktiv", suspended: "Gesperrt", closed: "Beendet" },
    any: "Alle",
    tier: "Stufe",
    from: "Dabei seit (von)",
    until: "Dabei seit (bis)",
    member: "Gast",
    similar: "Ähnlicher Name",
    joined: "Dabei seit",
    balance: "Punktestand",
    none: "Noch keine Gäste",
    noneHint:
      "Die Kassen nehmen Gäste auf. Um viele auf einmal aufzunehmen, importieren Sie eine Datei unter Marketing.",
    noneFound: "Keine passenden Gäste",
    fewDigits: "Geben Sie mindestens 4 Ziffern einer Telefon- oder Kartennummer ein.",
    noneFoundHint:
      "Ändern Sie die Suche oder die Filter. Die Suche findet den Anfang jedes Wortes eines Namens, einer E-Mail oder einer ID, die letzten vier oder mehr Ziffern eines Telefons oder einer Karte, Anfang oder Ende neuerer Bestellnummern und Namen mit einem Tippfehler."
  },
  member: {
    preview: "Was sich ändert",
    zone: (zone) => `Zeiten in ${zone}`
  },
  audience: {
    title: "Marketing",
    parts: "Bereiche des Marketings",
    segments: "Segmente",
    campaigns: "Kampagnen",
    imports: "Importe"
  },
  form: {
    add: "Hinzufügen",
    notSet: "–",
    nothingSet: "Hier ist nichts festgelegt.",
    yes: "Ja",
    no: "Nein",
    noAmount: "Geben Sie einen Betrag ein, zum Beispiel 1.234,50",
    noWhole: "Das muss eine ganze Zahl sein, zum Beispiel 15.",
    noNumber: (decimals, shown) =>
      `Das muss eine Zahl mit höchstens ${decimals === 1 ? "einer Nachkommastelle" : `${shown} Nachkommastellen`} sein.`,
    remove: (what) => `${what} entfernen`,
    has: (what) => `Mit „${what}“`,
    removed: (what) => `${what} ist entfernt.`,
    putBack: "Zurückholen",
    take: "Entfernen",
    pairName: "Name",
    pairValue: "Wert",
    pairTaken: "Dieser Name ist schon vergeben.",
    inZone: (zone) => `Zeit in ${zone}.`
  },
  people: (n) => count(n, "Gast", "Gäste")
}
