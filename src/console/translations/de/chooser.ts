import type { Translation } from "../../app/Translation.ts"
import { count } from "./german.ts"

export const chooser: Translation["chooser"] = {
  hint: "Tippen Sie einen Teil des Namens ein, oder wählen Sie. Drücken Sie nach jedem Enter.",
  unknown: {
    products: (ids) =>
      `Noch keine Kasse hat ${ids} verkauft. Prüfen Sie die Schreibweise, oder machen Sie weiter, wenn es neu ist.`,
    categories: (ids) =>
      `Noch keine Kasse hat etwas aus ${ids} verkauft. Prüfen Sie die Schreibweise, oder machen Sie weiter, wenn es neu ist.`,
    location_ids: (ids) => `Es gibt noch keine Filiale ${ids}.`,
    franchisee_ids: (ids) => `Keine Filiale gehört ${ids}.`,
    brand_ids: (ids) => `Keine Filiale hat die Marke ${ids}.`
  },
  guest: {
    hint: "Tippen Sie einen Teil des Namens, eine E-Mail, die letzten Ziffern von Telefon oder Karte oder eine Bestellung ein und wählen Sie aus.",
    none: "Damit wird kein Gast gefunden.",
    phone: (end) => `Telefon …${end}`,
    email: "E-Mail",
    telephone: "Telefon",
    tier: "Stufe",
    lastVisit: "Letzter Besuch",
    lastVisitOn: (day) => `Letzter Besuch ${day}`,
    never: "noch keiner",
    neverVisited: "Noch kein Besuch",
    joined: "Dabei seit",
    details: "Details",
    id: (id) => `Gast-ID: ${id}`
  },
  quoted: (id) => `„${id}“`,
  productsOf: (n, shown) => `${shown} ${count(n, "Produkt", "Produkte")}`
}
