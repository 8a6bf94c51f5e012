/** Every English text of the help beside a page, and where the guide has it. Apart from the others: it is loaded when help is asked for. */
import { texts } from "../texts.ts"

export const helpStrings = texts("help", {
  close: "Close the help",
  whole: "The whole guide",
  missing: "The guide has nothing about this yet.",
  /** The guide's address, and the anchors of its headings. */
  guide: "/docs/console",
  sections: {
    today: "today",
    counter: "counter",
    receipt: "receipt-missing",
    enrol: "enrol-a-guest",
    guests: "guests",
    merge: "merge-two-guests",
    move: "move-an-order",
    segments: "segments",
    campaigns: "campaigns",
    activate: "activate-a-campaign",
    imports: "imports",
    programme: "programme",
    publish: "publish",
    finance: "finance",
    developers: "developers",
    service: "service",
    restaurants: "restaurants",
    people: "people",
    audit: "audit",
    account: "my-account"
  }
})

/** A section of the guide. */
export type Section = keyof typeof helpStrings.sections
