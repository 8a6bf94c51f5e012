/** The German texts of refusals, by their code. */
import type { Translation } from "../../app/Translation.ts"

const outdated =
  "Der Dienst versteht diese Seite nicht, vielleicht ist sie veraltet. Laden Sie sie neu. Wenn das nicht hilft, sagen Sie es dem Betreiber des Dienstes."
const unavailable =
  "Der Dienst ist gerade nicht verfügbar. Versuchen Sie es in ein paar Sekunden noch einmal. Ihre Eingaben bleiben erhalten."

export const problem: Translation["problem"] = {
  invalid_json: outdated,
  malformed_request: outdated,
  method_not_allowed: outdated,
  unsupported_media_type: outdated,
  expectation_failed: outdated,
  headers_too_large: outdated,
  invalid_cursor: "Diese Liste kann hier nicht fortgesetzt werden. Laden Sie die Seite neu.",
  forbidden: "Das dürfen Sie nicht, es wurde nichts geändert.",
  csrf_failed: "Sie haben sich anderswo neu angemeldet, es wurde nichts geändert. Versuchen Sie es noch einmal.",
  limit_exceeded:
    "Das ist mehr, als Sie geben oder abziehen dürfen, es geschah nichts. Bitten Sie jemanden, der es darf.",
  not_found: "Das gibt es nicht oder nicht mehr. Prüfen Sie Ihre Eingabe, oder gehen Sie zurück zur Liste.",
  request_timeout: "Das Netz war zu langsam. Versuchen Sie es noch einmal. Ihre Eingaben bleiben erhalten.",
  conflict: "Es wurde nichts geändert.",
  idempotency_conflict:
    "Es wurde nichts geändert: Dies wurde schon mit anderem Inhalt gesendet. Schließen Sie es, öffnen Sie es noch einmal und prüfen Sie, was dort steht.",
  insufficient_balance: "Es wurde nichts geändert: Es sind nicht genug Punkte da.",
  expired: "Es wurde nichts geändert: Die Zeit dafür ist vorbei.",
  invalid_state:
    "Es wurde nichts geändert: Das ist jetzt nicht möglich. Laden Sie die Seite neu, um den jetzigen Stand zu sehen.",
  member_not_active: "Es wurde nichts geändert: Die Mitgliedschaft des Gastes ist gesperrt oder beendet.",
  program_retired:
    "Es wurde nichts geändert: Das Programm ist stillgelegt. Ein Inhaber kann es wieder in Betrieb nehmen.",
  incompatible_change: "Es wurde nichts veröffentlicht: Was Gäste schon haben, erlaubt diese Änderung nicht.",
  reward_not_available: "Es wurde nichts geändert: Diese Prämie kann jetzt nicht vergeben werden.",
  currency_mismatch: "Es wurde nichts geändert: Der Betrag ist nicht in der Währung des Programms.",
  payload_too_large: "Es wurde nichts geändert: Das ist zu groß. Verkleinern Sie es, oder tun Sie es in Teilen.",
  validation_failed: "Es wurde nichts geändert: Prüfen Sie Ihre Eingaben.",
  invalid_order: "Es wurde nichts geändert: Die Bestellung geht nicht auf.",
  rate_limited:
    "Das wurde zu oft versucht. Warten Sie eine Minute und versuchen Sie es dann noch einmal. Ihre Eingaben bleiben erhalten.",
  claims_off: "Das Programm behält keine Bestellungen ohne Gast.",
  internal_error:
    "Der Dienst hat versagt. Versuchen Sie es noch einmal. Wenn er wieder versagt, sagen Sie es seinem Betreiber.",
  write_frozen:
    "Es wurde nichts geändert: Buchungen sind gesperrt. Versuchen Sie es noch einmal, wenn sie wieder erlaubt sind. Ihre Eingaben bleiben erhalten.",
  not_active: unavailable,
  clock_disagrees:
    "Der Dienst ist nicht verfügbar: Seine Uhr geht falsch. Sagen Sie es dem Betreiber. Ihre Eingaben bleiben erhalten.",
  overloaded: unavailable,
  node_unreachable: unavailable,
  storage_unavailable: unavailable,
  archived: "Es wurde nichts geändert: Das liegt im Archiv."
}
