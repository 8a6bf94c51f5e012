/** The German texts of work that people hand over. */
import type { Translation } from "../../app/Translation.ts"

export const handover: Translation["handover"] = {
  does: {
    campaign: (name) => `Kampagne „${name}“ aktivieren`,
    audience: (name) => `geänderte Zielgruppe von „${name}“ bestätigen`,
    program: "eine Änderung des Programms veröffentlichen"
  },
  put: { campaign: "Aktivieren", audience: "Bestätigen", program: "Veröffentlichen" },
  putOf: {
    campaign: (name) => `„${name}“ aktivieren`,
    audience: (name) => `Zielgruppe von „${name}“ bestätigen`,
    program: "Änderung des Programms veröffentlichen"
  },
  handOver: "Übergeben",
  handOverOf: (does) => `Übergeben: ${does}`,
  before: (roles) =>
    `Sie dürfen das vorbereiten, aber nicht in Kraft setzen. Wenn es fertig ist, übergeben Sie es. In Kraft setzen darf es: ${roles}. Dort erscheint es auf Heute.`,
  explained: (roles) =>
    `Es erscheint 14 Tage lang auf Heute bei denen, die es in Kraft setzen dürfen: ${roles}. Sie sehen dieselbe Vorschau und setzen es in Kraft oder geben es mit einer Notiz zurück. Noch gilt nichts davon.`,
  reason: "Wofür es ist",
  reasonHint: "Wer entscheidet, liest es. Es darf keine persönlichen Daten von Gästen enthalten.",
  handed: "Es ist übergeben. Die Antwort erscheint auf Heute.",
  waiting: "Ihnen übergeben",
  own: "Was Sie übergeben haben",
  asks: {
    campaign: (who, name) => `${who} bittet Sie, die Kampagne „${name}“ zu aktivieren.`,
    audience: (who, name) => `${who} bittet Sie, die geänderte Zielgruppe von „${name}“ zu bestätigen.`,
    program: (who) => `${who} bittet Sie, eine Änderung des Programms zu veröffentlichen.`
  },
  yours: {
    campaign: (name) => `Sie haben andere gebeten, die Kampagne „${name}“ zu aktivieren.`,
    audience: (name) => `Sie haben andere gebeten, die geänderte Zielgruppe von „${name}“ zu bestätigen.`,
    program: "Sie haben andere gebeten, eine Änderung des Programms zu veröffentlichen."
  },
  by: (who) => `${who} hat diese Änderung übergeben`,
  byYou: "Sie haben diese Änderung übergeben",
  because: (reason, when) => `„${reason}“, ${when}`,
  changed: "Es hat sich seit der Übergabe geändert. Die Vorschau zeigt es, wie es jetzt ist.",
  open: "Im Editor öffnen",
  preview: "Was es bewirken würde",
  sendBack: "Zurückgeben",
  sendBackOf: (does) => `Zurückgeben: ${does}`,
  sentBack: "Es ist zurückgegeben, mit Ihrer Notiz.",
  note: "Was Sie der Person sagen, die es übergeben hat",
  noteHint: "Es darf keine persönlichen Daten von Gästen enthalten.",
  takeBack: "Zurücknehmen",
  takeBackOf: (does) => `Zurücknehmen: ${does}`,
  takenBack: "Zurückgenommen",
  states: {
    open: "Noch hat niemand geantwortet.",
    done: "Es gilt.",
    doneBy: (by) => `${by} hat es in Kraft gesetzt.`,
    declined: (by, note) => `${by} hat es zurückgegeben: „${note}“`,
    over: "Innerhalb von 14 Tagen hat niemand geantwortet. Übergeben Sie es noch einmal, wenn es noch wichtig ist."
  }
}
