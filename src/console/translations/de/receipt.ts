/** The German texts of a missing receipt. */
import type { Translation } from "../../app/Translation.ts"

export const receipt: Translation["receipt"] = {
  missing: "Beleg fehlt",
  way: "Was auf dem Beleg steht",
  byCode: "Ein Code",
  byHand: "Kein Code",
  code: "Code des Belegs",
  codeHint: "12 Buchstaben und Ziffern. Kleinbuchstaben, Leerzeichen und Bindestriche sind gleichgültig.",
  claim: "Bestellung übernehmen",
  add: "Bestellung nachtragen",
  claimed: (earned) => `Die Bestellung ist übernommen: ${earned}.`,
  added: (earned) => `Die Bestellung ist nachgetragen: ${earned}.`,
  already: (at, by) =>
    `Dieser Beleg wurde schon nachgetragen, am ${at}${by === undefined ? "" : ` von ${by}`}. Ein zweites Mal geschieht nichts.`,
  restaurant: "Restaurant",
  choose: "Restaurant wählen",
  number: "Belegnummer",
  at: (zone) => `Bestellt am (${zone})`,
  amount: (currency) => `Betrag ohne Steuer und Trinkgeld (${currency})`,
  product: "Produkt",
  quantity: "Menge",
  cost: (currency) => `Zusammen (${currency})`,
  moreProducts: "Produkt hinzufügen",
  productsHint: "Nur wenn eine Aktion oder eine Stempelkarte danach fragt.",
  removeProduct: (place) => `Produkt ${place} entfernen`,
  earns: (earned) => `Sie bringt ${earned}.`,
  others: (orders) =>
    `Der Gast hat dort an diesem Tag eine weitere Bestellung, vielleicht dieselbe: ${orders}. Sehen Sie nach, bevor Sie sie nachtragen.`,
  other: (order, at) => `${order}, ${at}`,
  alike: (orders) => `Diese Bestellung gibt es vielleicht schon: ${orders}. Sehen Sie nach, bevor Sie sie nachtragen.`,
  otherOf: (order, at, guest) => `${order}, ${at}, von Gast ${guest}`,
  isAnother: "Ich habe nachgesehen: Es ist eine andere Bestellung"
}
