/** Every English text of the fields in which people choose products, categories, restaurants and guests. */
import { count } from "../strings.ts"
import { texts } from "../texts.ts"

export const chooserStrings = texts("chooser", {
  hint: "Type part of a name, or choose. Press Enter after each.",
  unknown: {
    products: (ids: string) => `No till has sold ${ids} yet. Check how it is written, or go on if it is new.`,
    categories: (ids: string) =>
      `No till has sold anything of ${ids} yet. Check how it is written, or go on if it is new.`,
    location_ids: (ids: string) => `There is no restaurant ${ids} yet.`,
    franchisee_ids: (ids: string) => `No restaurant is run by ${ids}.`,
    brand_ids: (ids: string) => `No restaurant has the brand ${ids}.`
  },
  guest: {
    hint: "Type part of a name, an e-mail, the last digits of a phone or card, or an order, and choose.",
    none: "No guest is found by this.",
    phone: (end: string) => `Telephone …${end}`,
    email: "E-mail",
    telephone: "Telephone",
    tier: "Tier",
    lastVisit: "Last visit",
    lastVisitOn: (day: string) => `Last visit ${day}`,
    never: "none yet",
    neverVisited: "No visit yet",
    joined: "Joined",
    details: "Details",
    id: (id: string) => `Member id: ${id}`
  },
  quoted: (id: string) => `“${id}”`,
  productsOf: (n: number, shown: string) => `${shown} ${count(n, "product", "products")}`
})
