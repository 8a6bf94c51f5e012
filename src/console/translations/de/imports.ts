/** The German texts about imports. */
import type { Translation } from "../../app/Translation.ts"
import { count, number } from "./german.ts"

const rowsOf = (n: number): string => `${number(n)} ${count(n, "Zeile", "Zeilen")}`

const listed = (words: ReadonlyArray<string>, last: string): string => words.map((word) => `„${word}“`).join(last)

export const imports: Translation["import"] = {
  mayNotGive: (roles) =>
    `Anfangsstände geben Punkte, was Sie nicht dürfen: Lassen Sie diese Spalte leer. Geben darf sie: ${roles}.`,
  new: "Gäste aus einer Tabelle importieren",
  rules: (rows, size) => [
    `Verwenden Sie eine CSV-Datei mit höchstens ${rows} Zeilen und ${size}. Die erste Zeile nennt die Spalten: wie in der Vorlage oder mit eigenen Namen.`,
    "Jede Zeile ändert den Gast mit ihrer Gast-ID, Kundennummer oder Kartennummer oder nimmt einen neuen auf. Eine leere Zelle ändert nichts.",
    "Ein Anfangsbestand wird nur einmal je Gast gutgeschrieben."
  ],
  template: "Vorlage herunterladen",
  choose: "Datei wählen",
  drop: "Ziehen Sie eine CSV-Datei hierher, oder",
  refused: "Diese Datei kann nicht importiert werden",
  unreadable:
    "Der Browser konnte die Datei nicht lesen. Vielleicht wurde sie verschoben oder geändert; wählen Sie sie noch einmal.",
  sizes: {
    bytes: (size) => `${size} Bytes`,
    kilobytes: (size) => `${size} kB`,
    megabytes: (size) => `${size} MB`
  },
  tooLarge: (size, rows, mostSize, mostRows) =>
    `Die Datei hat ${rows === undefined ? "" : `${rows} Zeilen und `}${size}. Aus einer Datei können höchstens ${mostRows} Zeilen und ${mostSize} importiert werden. Teilen Sie sie in mehrere Dateien, jede mit der ersten Zeile.`,
  partTooLarge: "Eine Zeile der Datei ist zu groß zum Senden. Kürzen Sie ihre Zellen.",
  notText: "Das ist keine CSV-Datei. Speichern Sie sie in Ihrer Tabelle als „CSV UTF-8 (durch Trennzeichen getrennt)“.",
  notCsv: (line) =>
    `Zeile ${line} hat ein Anführungszeichen, das nicht geschlossen ist oder mitten in einer Zelle steht. Setzen Sie die ganze Zelle in Anführungszeichen und verdoppeln Sie die darin.`,
  empty: "Die Datei hat keine Zeilen unter den Spaltennamen.",
  file: (message) => `Die Datei ${message}.`,
  useTemplate: "Vergleichen Sie sie mit der Vorlage und wählen Sie sie dann noch einmal.",
  cutOff:
    "Es kam kein Ergebnis. Schon importierte Zeilen bleiben. Importieren Sie die Datei in ein paar Sekunden noch einmal: Es geht dort weiter, wo es aufhörte, und keine Zeile wird doppelt importiert.",
  has: (rows, columns, size) => `${rowsOf(rows)}, ${number(columns)} ${count(columns, "Spalte", "Spalten")}, ${size}`,
  readAs: (encoding, separator) =>
    `Gelesen als ${encoding}, getrennt durch ${separator}. Prüfen Sie, ob Umlaute richtig aussehen.`,
  encodings: {
    "utf-8": "UTF-8",
    "utf-16le": "UTF-16",
    "utf-16be": "UTF-16",
    "windows-1252": "Windows-1252 (Westeuropa)"
  },
  separators: { ",": "Kommas", ";": "Semikolons", "\t": "Tabulatoren" },
  firstRows: "Erste Zeilen",
  mapping: {
    title: "Ihre Spalten",
    hint: "Wählen Sie, was in jeder Spalte steht. Ausgelassene Spalten werden nicht importiert.",
    column: "Spalte",
    cells: "Erste Zellen",
    field: "Wird importiert als",
    unnamed: (letters) => `Spalte ${letters}`,
    hasHeader: "Die erste Zeile enthält die Namen der Spalten",
    firstIsMember:
      "Sie sieht wie ein Gast aus. Wenn sie einer ist, lassen Sie dies leer: Dann wird sie auch importiert.",
    fieldFor: (column) => `„${column}“ wird importiert als`,
    leaveOut: "Auslassen",
    fields: {
      first_name: "Vorname",
      last_name: "Nachname",
      member_id: "Gast-ID (member_id)",
      external_id: "Kundennummer (external_id)",
      display_name: "Ganzer Name (display_name)",
      email: "E-Mail-Adresse (email)",
      phone: "Telefon (phone)",
      birth_date: "Geburtsdatum (birth_date)",
      marketing_consent: "Einwilligung in Werbung (marketing_consent)",
      consent_source: "Herkunft der Einwilligung (consent_source)",
      attributes_json: "Merkmale als JSON (attributes_json)",
      identity_type: "Art der Karte (identity_type)",
      identity_value: "Kartennummer (identity_value)",
      identity_issuer: "Herausgeber der Karte (identity_issuer)",
      opening_balance: "Anfangsbestand (opening_balance)",
      attribute: "Eigenes Merkmal"
    },
    attribute: "Name des Merkmals",
    attributeFor: (column) => `Name des Merkmals für „${column}“`,
    noAttribute:
      "Geben Sie jedem Merkmal einen Namen, zum Beispiel lieblingsgericht. Regeln von Segmenten verwenden diesen Namen.",
    sameAttribute: "Zwei Merkmale haben denselben Namen. Geben Sie einem einen anderen.",
    twoAttributes: "Wählen Sie entweder eigene Merkmale oder Merkmale als JSON.",
    namedByEmail: "Die E-Mail-Adresse als Kundennummer verwenden",
    namedByEmailHint:
      "Tun Sie das, wenn die Datei keine Nummer hat: Ein Gast, dessen Adresse sich ändert, ist dann ein neuer Gast. Zeilen mit derselben Adresse sind derselbe Gast.",
    twice: (field) => `Zwei Spalten werden als „${field}“ importiert. Lassen Sie eine aus.`,
    twoNames: "Wählen Sie entweder den ganzen Namen oder Vor- und Nachnamen.",
    nobody:
      "Wählen Sie die Spalte mit Gast-ID, Kundennummer oder Kartennummer: Daran werden Gäste unterschieden. Eine Datei, die nur E-Mail-Adressen hat, kann diese als Kundennummern verwenden.",
    noCard: "Wählen Sie die Spalte mit der Kartennummer, oder lassen Sie Art und Herausgeber der Karte aus.",
    cardType: "Wählen Sie die Art der Kartennummern.",
    callingCode: "Schreiben Sie die Ländervorwahl als Plus und bis zu drei Ziffern, zum Beispiel +49.",
    dateOrder: "Reihenfolge im Datum",
    dateOrders: {
      DMY: "Tag, Monat, Jahr (31.12.1990)",
      MDY: "Monat, Tag, Jahr (12/31/1990)",
      YMD: "Jahr, Monat, Tag (1990-12-31)"
    },
    unsureDates: "Die Daten in der Datei verraten ihre Reihenfolge nicht. Sehen Sie sich einige an, die Sie kennen.",
    code: "Ländervorwahl für Telefonnummern ohne eine",
    codeHint: "Zum Beispiel +49. Leer: Diese Nummern bleiben, wie sie sind, und ihre Zeilen sind fehlerhaft.",
    points: "Wie Punkte geschrieben sind",
    pointsUnknown: "Bitte wählen",
    pointsWritten: {
      ".": "1.000 ist tausend, 1,5 ist eineinhalb",
      ",": "1,000 ist tausend, 1.5 ist eineinhalb"
    },
    thousands: "Wählen Sie, wie Punkte geschrieben sind: 1.000 ist für manche tausend und für andere eins.",
    cardTypeOf: "Art der Kartennummern",
    cardTypes: {
      loyalty_id: "Kundenkarte",
      token: "Token einer Zahlungskarte oder eines Geräts",
      external: "Nummer eines anderen Systems"
    },
    yes: "Wörter für eine Einwilligung",
    no: "Wörter für keine Einwilligung",
    wordsHint: "Durch Kommas getrennt. Eine leere Zelle ändert nichts.",
    unknownWords: (words) =>
      `In keiner der Listen, ihre Zeilen sind also fehlerhaft: ${listed(words.slice(0, 5), ", ")}${words.length > 5 ? ` und ${number(words.length - 5)} weitere` : ""}.`,
    check: "Prüfen"
  },
  andMore: (rows) => `und ${number(rows)} weitere ${count(rows, "Zeile", "Zeilen")}`,
  send: (whole, partly) =>
    whole === 0
      ? `${rowsOf(partly)} teilweise importieren`
      : `${rowsOf(whole)} importieren${partly === 0 ? "" : `, ${number(partly)} teilweise`}`,
  checking: "Die Datei wird geprüft. Noch wird nichts importiert.",
  checked: (rows, of) => `${rows} von ${of} Zeilen sind geprüft.`,
  sending: (rows, of) =>
    `${rows} von ${of} Zeilen sind gesendet. Bleiben Sie auf dieser Seite, bis es alle sind; wenn Sie sie verlassen, wählen Sie die Datei noch einmal, um weiterzumachen.`,
  stopped: (rows, of) =>
    `${rows} von ${of} Zeilen sind gesendet und erledigt. Die anderen sind noch nicht importiert; keine wird doppelt importiert.`,
  goOn: "Weitermachen",
  allSent: (rows) => `Alle ${rows} Zeilen der Datei sind gesendet.`,
  rowsAgain: (rows) =>
    `${rows} dieser Zeilen wurden schon früher importiert, für sie geschah jetzt nichts. Ihr früheres Ergebnis ist hier mitgezählt.`,
  part: (name, part, of) => `${name} (Teil ${number(part)} von ${number(of)})`,
  foreseen: "Was dieser Import tun wird",
  wouldCreate: "Neue Gäste",
  wouldUpdate: "Bekannte Gäste",
  wouldCredit: "Gutzuschreibende Punkte insgesamt",
  wouldFail: "Fehlerhafte Zeilen",
  noFaults: "Jede Zeile kann importiert werden. Noch ist nichts importiert.",
  allFail:
    "Keine Zeile kann so importiert werden, wie sie ist. Noch ist nichts importiert. Korrigieren Sie die Datei und wählen Sie sie noch einmal.",
  someFail: (rows, whole, partly, left) =>
    `Von ${number(rows)} ${count(rows, "Zeile", "Zeilen")} ${[
      `${count(whole, "ist", "sind")} ${number(whole)} ohne Fehler`,
      ...(partly === 0
        ? []
        : [`${count(partly, "wird", "werden")} ${number(partly)} teilweise importiert, wie der Fehler sagt`]),
      ...(left === 0 ? [] : [`${count(left, "wird", "werden")} ${number(left)} ausgelassen`])
    ].join("; ")}. Noch ist nichts importiert.`,
  warnings: "Vielleicht ein Versehen",
  warning: "Was zu prüfen ist",
  repeated: "Zeilen desselben Gastes",
  repeatedRows:
    "Einige Gäste stehen mehrmals in der Datei. Ihre Zeilen werden in der Reihenfolge der Datei importiert: Eine spätere überschreibt, was eine frühere geschrieben hat, und ein Anfangsbestand wird einmal gutgeschrieben.",
  repeats: "Dasselbe",
  repeatedIn: (column) => `„${column}“`,
  repeatedOpening: "Ein Anfangsbestand für einen Gast",
  nobody: "Die Zeile hat keine Gast-ID, Kundennummer oder Kartennummer.",
  nobodyIn: (columns) => `Die Zeile hat nichts in ${listed(columns, " oder ")} und gehört deshalb zu niemandem.`,
  uneven: "Die Zeile hat mehr oder weniger Zellen, als es Spalten gibt.",
  noDate: (column, order) => `„${column}“ ist kein Datum in der gewählten Reihenfolge: ${order}.`,
  noConsent: (column) => `„${column}“ ist weder ein Wort für eine Einwilligung noch eines für keine.`,
  faultGroups: "Fehler nach Art",
  times: "Anzahl",
  where: "Wo",
  rowNumber: (row) => `Zeile ${row}`,
  former: "Frühere Importe",
  none: "Noch keine Importe",
  noneHint: "Diese Seite behält das Ergebnis jedes Imports mit seinen fehlerhaften Zeilen.",
  when: "Begonnen",
  fileName: "Datei",
  by: "Importiert von",
  sentBy: (by, file) => (file === undefined ? `Importiert von ${by}` : `${file}, importiert von ${by}`),
  status: "Ergebnis",
  statuses: {
    completed: "Alle Zeilen importiert",
    partial: "Einige Zeilen fehlerhaft",
    failed: "Keine Zeile importiert"
  },
  underWay: "Nicht beendet",
  takenBack: "Zurückgenommen",
  takenBackAt: (at, by) => `Zurückgenommen am ${at} von ${by}.`,
  takeBack: {
    label: "Import zurücknehmen",
    preview: "Was sich ändert",
    erased: (isDone, n, shown) =>
      `${shown} ${count(n, "Gast, der", "Gäste, die")} nur durch den Import da ${count(n, "ist", "sind")}, ${isDone ? count(n, "wurde", "wurden") : count(n, "wird", "werden")} gelöscht.`,
    points: (isDone, taken, credited) =>
      `${taken} von ${credited} gutgeschriebenen Punkten ${isDone ? "wurden" : "werden"} zurückgenommen.`,
    left: (points) => `${points} Punkte bleiben: Sie sind ausgegeben, an einer Kasse vorgemerkt oder verfallen.`,
    forGood: "Das lässt sich nicht rückgängig machen. Gäste, die bleiben, erhalten keinen zweiten Anfangsbestand.",
    kept: {
      was_there: (n, shown) =>
        `${shown} ${count(n, "Gast war", "Gäste waren")} schon vorher da. Was die Datei an ihnen geändert hat, bleibt.`,
      merged: (n, shown) =>
        `${shown} ${count(n, "Gast wurde", "Gäste wurden")} seitdem zusammengeführt und ${count(n, "bleibt", "bleiben")}.`,
      ordered: (n, shown) =>
        `${shown} ${count(n, "Gast hat", "Gäste haben")} seitdem bestellt und ${count(n, "bleibt", "bleiben")}.`,
      spent: (n, shown) =>
        `${shown} ${count(n, "Gast hat", "Gäste haben")} seitdem Punkte oder eine Prämie eingelöst und ${count(n, "bleibt", "bleiben")}.`,
      changed: (n, shown) =>
        `${shown} ${count(n, "Gast wurde", "Gäste wurden")} seitdem geändert und ${count(n, "bleibt", "bleiben")}.`,
      not_active: (n, shown) =>
        `${shown} ${count(n, "Gast ist", "Gäste sind")} gesperrt oder beendet und ${count(n, "bleibt", "bleiben")}.`
    },
    pointsOf: (taken, credited) => `${taken} von ${credited} Punkten`,
    more: (rest) => `und ${rest} weitere`,
    done: (erased, shown, points) =>
      `Zurückgenommen: ${shown} ${count(erased, "Gast", "Gäste")} gelöscht, ${points} Punkte`
  },
  submitted: "Zeilen",
  created: "Neue Gäste",
  updated: "Bekannte Gäste",
  failed: "Fehlerhaft",
  all: "Alle Importe",
  of: (at) => `Import vom ${at}`,
  again:
    "Diese Datei wurde schon früher importiert, jetzt geschah deshalb nichts. Dies ist das frühere Ergebnis. Eine Datei mit irgendeiner Änderung gilt als neu.",
  unfinished:
    "Der Import läuft, oder er wurde unterbrochen. Wenn sich die Zahlen nicht mehr ändern, importieren Sie dieselbe Datei noch einmal: Es geht dort weiter, wo es aufhörte, und keine Zeile wird doppelt importiert.",
  result: "Ergebnis",
  faults: "Fehlerhafte Zeilen",
  rowsCount:
    "Die Zeilen sind wie in der Datei gezählt: Die Spaltennamen sind Zeile 1. Korrigieren Sie diese Zeilen und importieren Sie sie in einer neuen Datei.",
  row: "Zeile",
  column: "Spalte",
  fault: "Fehler",
  rowFault: (detail) => `Die Zeile ${detail}.`,
  cellFault: (column, detail) => `„${column}“ ${detail}.`,
  csv: "Als CSV herunterladen",
  failedRows: "Fehlerhafte Zeilen herunterladen",
  rowsDeleted:
    "Dieser Import ist so alt, dass seine Fehler und das Ergebnis jeder Zeile gelöscht sind. Seine Zahlen bleiben."
}
