/** The German texts of the help beside a page. */
import type { Translation } from "../../app/Translation.ts"

export const help: Translation["help"] = {
  close: "Hilfe schließen",
  whole: "Das ganze Handbuch",
  missing: "Dazu steht noch nichts im Handbuch.",
  guide: "/docs/de/console",
  sections: {
    today: "heute",
    counter: "theke",
    receipt: "beleg-fehlt",
    enrol: "einen-gast-aufnehmen",
    guests: "g-ste",
    merge: "zwei-g-ste-zusammenlegen",
    move: "eine-bestellung-bertragen",
    segments: "segmente",
    campaigns: "kampagnen",
    activate: "eine-kampagne-aktivieren",
    imports: "importe",
    programme: "programm",
    publish: "ver-ffentlichen",
    finance: "buchhaltung",
    developers: "technik",
    service: "dienst",
    restaurants: "filialen",
    people: "team",
    audit: "protokoll",
    account: "mein-konto"
  }
}
