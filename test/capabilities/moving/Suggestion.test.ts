/** Suggested mappings of files with German columns. Holds contract/moving.md *Mapping*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Sample from "../../../src/capabilities/moving/Sample.ts"
import { mappingOf, planned, written } from "./Files.ts"

const suggested = (files: Readonly<Record<string, string>>) =>
  Effect.map(Sample.suggested(written(files)), (mapping) =>
    mapping.files.map(({ columns, holds }) => [holds, ...Object.values(columns)])
  )

describe("a suggestion", () => {
  it.effect("knows lots, vouchers, consents and orders by German names", () =>
    Effect.gen(function* () {
      const found = yield* suggested({
        "punkte.csv": "Kundennr;Restpunkte;Gesammelt am;Verfällt am\n1;10;01.02.2026;31.01.2028\n",
        "guthaben.csv": "Kunden-Nr.;Guthaben;Gültig bis\n1;10;31.01.2028\n",
        "gutscheine.csv": "Kundennummer;Gutscheincode;Ausgestellt am;Gültig bis\n1;ABC;01.02.2026;31.01.2028\n",
        "praemien.csv": "Kundennummer;Prämie;Gutschein-Nr.\n1;kaffee;ABC\n",
        "einwilligungen.csv":
          "Kundennr;Zweck;Kanal;Einwilligung;Zeitpunkt;Quelle\n1;Werbung;E-Mail;ja;01.02.2026;App\n",
        "kanaele.csv": "Kundennr;Kanal;Erteilt;Erteilt am\n1;E-Mail;ja;01.02.2026\n",
        "bons.csv": "Bestellnr;Kundennr;Punkte;Zeitpunkt\n77;1;12;01.02.2026 12:10\n"
      })
      assert.deepStrictEqual(found, [
        ["lots", "external_id", "amount", "earned_at", "expires_at"],
        ["lots", "external_id", "amount", "expires_at"],
        ["rewards", "external_id", "code", "issued_at", "expires_at"],
        ["rewards", "external_id", "reward_id", "code"],
        ["consents", "external_id", "purpose", "channel", "granted", "recorded_at", "source"],
        ["consents", "external_id", "channel", "granted", "recorded_at"],
        ["orders", "order_id", "external_id", "points", "at"]
      ])
    })
  )

  it.effect("says nothing of a file that its columns do not tell, and a plan then asks", () =>
    Effect.gen(function* () {
      const files = {
        // One row a guest with her next expiry, or lots with the guests' names?
        "beides.csv": "Kundennr;Vorname;Punkte;Verfällt am\n1;Ada;10;31.01.2028\n",
        "unklar.csv": "Kundennr;Punkte;Buchung vom\n1;10;31.01.2028\n",
        "kunden.csv": "Kundennr;Vorname;Punkte;Laune\n1;Ada;10;gut\n"
      }
      const found = yield* suggested(files)
      assert.deepStrictEqual(
        found.map(([holds]) => holds),
        [null, null, "guests"]
      )
      const { "unklar.csv": unclear } = files
      const asked = yield* planned(
        { "unklar.csv": unclear },
        mappingOf({ file: "unklar.csv", holds: null, columns: { Kundennr: "external_id", Punkte: "amount" } })
      )
      assert.deepStrictEqual(asked.faults, ["unsaid unklar.csv:0"])
      assert.match(asked.details[0]!.detail, /holds must be guests, lots, rewards, consents or orders/)
    })
  )

  it.effect("leaves the order of dates open where dates with other marks do not tell it", () =>
    Effect.gen(function* () {
      const order = (...dates: ReadonlyArray<string>) =>
        Effect.map(
          Sample.suggested(
            written({ "lots.csv": `Kundennr;Punkte;Verfällt am\n${dates.map((date) => `1;1;${date}\n`).join("")}` })
          ),
          ({ files }) => files[0]?.dates
        )
      assert.strictEqual(yield* order("31.12.2027", "03/04/2027"), null)
      assert.strictEqual(yield* order("31.12.2027", "30/04/2027"), "DMY")
      assert.strictEqual(yield* order("31.12.2027", "01.02.2027"), "DMY")
    })
  )

  it.effect("asks for the separator of thousands where a file has points", () =>
    Effect.gen(function* () {
      const { files } = yield* Sample.suggested(
        written({
          "punkte.csv": "Kundennr;Restpunkte;Verfällt am\n1;1.000;31.12.2027\n",
          "codes.csv": "Kundennr;Gutscheinart;Code\n1;kaffee;A\n"
        })
      )
      assert.deepStrictEqual(
        files.map((file) => [file.thousands, "thousands" in file]),
        [
          [null, true],
          [undefined, false]
        ]
      )
    })
  )
})
