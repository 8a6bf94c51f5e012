/** The German texts of gifts that people ask others for. */
import type { Translation } from "../../app/Translation.ts"

export const ask: Translation["ask"] = {
  ask: "Vorgesetzte fragen",
  asked: "Jemand, der es darf, ist gefragt. Die Antwort erscheint hier.",
  hint: "Sie dürfen das nicht selbst geben. Jemand, der es darf, kann es innerhalb von 24 Stunden für Sie geben, oder sagt Ihnen, warum nicht.",
  waiting: "Wartet auf Ihre Entscheidung",
  own: "Ihre Fragen",
  points: (amount, unit) => `${amount} ${unit}`,
  receipt: (receipt, amount) => `die Bestellung von Beleg ${receipt} (${amount})`,
  earns: (earned, after) => `Sie bringt ${earned}; der Stand ist dann ${after}.`,
  alike: (orders) => `Vielleicht gibt es sie schon: ${orders}. Sehen Sie nach, bevor Sie sie geben.`,
  askedBy: (who, gift) => `${who} bittet um ${gift} für`,
  youAsked: (gift) => `${gift} für`,
  because: (reason, when) => `„${reason}“, ${when}`,
  effect: (before, after) => `Der Stand geht von ${before} auf ${after}.`,
  reward: (reward) => `„${reward}“ liegt sofort bereit.`,
  changed: "Der Gast hat sich seitdem geändert. So ist es jetzt.",
  give: "Geben",
  giveOf: (gift, guest) => `Geben: ${gift} für ${guest}`,
  given: (gift, guest) => `${guest} hat ${gift} erhalten.`,
  decline: "Ablehnen",
  declineOf: (gift, guest) => `Ablehnen: ${gift} für ${guest}`,
  declined: (gift, guest) => `${gift} für ${guest} ist abgelehnt.`,
  note: "Was Sie der Person sagen, die gefragt hat",
  noteHint: "Es darf keine persönlichen Daten von Gästen enthalten.",
  states: {
    open: "Noch hat niemand geantwortet.",
    doing: (by) => `${by} gibt es gerade.`,
    done: (by) => `${by} hat es gegeben.`,
    declined: (by, note) => `${by} hat es abgelehnt: „${note}“`,
    over: "Innerhalb von 24 Stunden hat niemand geantwortet. Fragen Sie noch einmal, wenn es noch wichtig ist."
  }
}
