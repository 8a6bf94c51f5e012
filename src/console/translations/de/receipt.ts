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
  other: (order, at) => `${order}, ${at}`
}
