/** The German texts of the service's page. */
import type { Translation } from "../../app/Translation.ts"
import { count, decimal, number } from "./german.ts"

export const service: Translation["service"] = {
  title: "Dienst",
  about: "Der Prozess, der diese Seite beantwortet, und was er buchen darf.",
  version: "Version",
  environment: "Datenbank",
  environments: { live: "Echtbetrieb", sandbox: "Testumgebung" },
  role: "Rolle",
  resident: "Konten im Speicher",
  since: "Läuft seit",
  nodes: "Knoten",
  address: "Adresse",
  thisNode: "dieser",
  roles: { joining: "Tritt bei", node: "Knoten", leaving: "Scheidet aus", dead: "Ausgefallen" },
  partitions: "Partitionen",
  lastBeat: "Letztes Lebenszeichen",
  secondsAgo: (seconds) => `vor ${decimal(seconds)} s`,
  unowned: (partitions) =>
    `${number(partitions)} ${count(partitions, "Partition hat", "Partitionen haben")} keinen Knoten. Anfragen für deren Gäste warten und schlagen dann fehl.`,
  forwards: (share) =>
    `Dieser Knoten leitet etwa ${Math.round(share * 100)} % seiner Anfragen weiter, weil andere Knoten diese Konten haben.`,
  frozen: "Buchungen sind gesperrt: Kassen erhalten „write_frozen“ und versuchen es später noch einmal.",
  writable: "Kassen können Bestellungen buchen und Prämien einlösen.",
  freeze: "Buchungen sperren",
  unfreeze: "Buchungen wieder erlauben",
  freezeConfirm:
    "Kassen können keine Bestellungen buchen und nichts einlösen, bis Sie Buchungen wieder erlauben. Es geht nichts verloren, und Abfragen funktionieren weiter.",
  unfreezeConfirm: "Kassen können sofort wieder buchen und einlösen."
}
