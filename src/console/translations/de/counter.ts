/** The German texts of the counter. */
import type { Translation } from "../../app/Translation.ts"
import { count, number } from "./german.ts"

export const counter: Translation["counter"] = {
  title: "Theke",
  field: "Gast",
  fieldHint: "Karte scannen oder eingeben: Nummer, Name, Ende der Telefonnummer oder Teil der Bestellnummer.",
  find: "Suchen",
  found: (guests) =>
    guests === 0 ? "Damit wird kein Gast gefunden." : `${number(guests)} ${count(guests, "Gast", "Gäste")}`,
  many: "Es passen noch mehr Gäste. Geben Sie mehr vom Namen oder von der Nummer ein.",
  results: "Gefundene Gäste",
  begin: "Hier erscheint der Gast.",
  points: (available, unit) => `${available} ${unit}`,
  held: (reserved) => `${reserved} weitere sind für offene Einlösungen vorgemerkt.`,
  tier: "Stufe",
  toNext: (tier, missing, next) => `${tier}, noch ${missing} bis ${next}`,
  wallet: "Liegt bereit",
  enoughFor: "Punkte reichen für",
  telephone: "Telefon",
  birthday: "Geburtstag",
  card: "Karte",
  none: "nichts",
  give: "Punkte geben",
  whole: "Alles über diesen Gast",
  merged: "Dieser Gast wurde mit einem anderen zusammengelegt.",
  toOther: "Diesen Gast zeigen",
  notActive: "Diesem Gast kann nichts gegeben werden: Die Mitgliedschaft ist nicht aktiv."
}
