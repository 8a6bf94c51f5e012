/** Guests whose values cannot all be read. Holds contract/moving.md *Mapping*, *Faults*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mappingOf, planned } from "./Files.ts"

describe("a guest", () => {
  it.effect("moves without what is optional: only identity and amounts leave a row out", () =>
    Effect.gen(function* () {
      const found = yield* planned({
        "guests.csv": [
          "external_id,email,phone,birth_date,card,joined_at,orders,attributes,marketing_consent,display_name,balance",
          "g1,nobody,,,,,,,,,1",
          "g2,,123,,,,,,,,2",
          "g3,,,1990-02-31,,,,,,,4",
          "g4,,,,4.93E+15,,,,,,8",
          "g5,,,,,soon,,,,,16",
          "g6,,,,,,many,,,,32",
          "g7,,,,,,,{,,,64",
          "g8,,,,,2024-01-01,,,perhaps,,128",
          "g9,,,,,,-1,,,,256",
          `h1,,,,,,,,,${"x".repeat(5_000)},512`,
          `h2,,,,${"9".repeat(5_000)},,,,,,1024`,
          "h3,,,,,,,,,,many",
          "4.93E+15,,,,,,,,,,4096",
          ""
        ].join("\n")
      })
      assert.deepStrictEqual(found.faults.toSorted(), [
        "invalid guests.csv:13 balance",
        "invalid_birth_date guests.csv:4 birth_date",
        "invalid_card guests.csv:12 card",
        "invalid_consent guests.csv:9 marketing_consent",
        "invalid_email guests.csv:2 email",
        "invalid_phone guests.csv:3 phone",
        "invalid_profile guests.csv:11 display_name",
        "invalid_profile guests.csv:6 joined_at",
        "invalid_profile guests.csv:8 attributes",
        "invalid_standing guests.csv:10 orders",
        "invalid_standing guests.csv:7 orders",
        "shortened guests.csv:14 external_id",
        "shortened_card guests.csv:5 card"
      ])
      assert.strictEqual(found.figures.guests, 11)
      assert.deepStrictEqual(
        found.figures.units().map(({ amount }) => amount),
        [2047n]
      )
    })
  )

  it.effect("who has nothing but a card that cannot be read is left out", () =>
    Effect.gen(function* () {
      const found = yield* planned({ "guests.csv": "card,balance\n4.93E+15,5\nc2,6\n" })
      assert.deepStrictEqual(found.faults, ["shortened_card guests.csv:2 card", "without_id guests.csv:2"])
      assert.strictEqual(found.figures.guests, 1)
    })
  )

  it.effect("with more consents than a guest may have moves without the last ones", () =>
    Effect.gen(function* () {
      const consents = Array.from({ length: 101 }, () => ({
        ...{ purpose: "marketing", granted: true, recorded_at: "2026-01-01T00:00:00Z" }
      }))
      const found = yield* planned({ "guests.jsonl": `${JSON.stringify({ external_id: "g1", consents })}\n` })
      assert.deepStrictEqual(found.faults, ["invalid_consent guests.jsonl:1 consents"])
      assert.deepStrictEqual([found.figures.guests, found.figures.consents], [1, 100])
    })
  )
})

describe("a date", () => {
  it.effect("that can be read in two ways, written otherwise than the first one, is a fault", () =>
    Effect.gen(function* () {
      const lots = { file: "lots.csv", holds: "lots" as const, dates: "DMY" as const }
      const found = yield* planned(
        {
          "guests.csv": "external_id\ng1\n",
          "lots.csv":
            "external_id;amount;expires_at\ng1;1;31.12.2098\ng1;1;03/04/2098\ng1;1;31/12/2098\ng1;1;04/04/2098\ng1;1;03.04.2098\n"
        },
        mappingOf(
          { file: "guests.csv", holds: "guests", columns: { external_id: "external_id" } },
          { ...lots, columns: { external_id: "external_id", amount: "amount", expires_at: "expires_at" } }
        )
      )
      assert.deepStrictEqual(found.faults, ["ambiguous_date lots.csv:3 expires_at"])
      assert.strictEqual(found.figures.units()[0]?.amount, 5n)
    })
  )
})

describe("a mapping", () => {
  it.effect("that has no channel for a word leaves the consent out: without one it would be to every channel", () =>
    Effect.gen(function* () {
      const found = yield* planned(
        {
          "guests.csv": "external_id\ng1\n",
          "consents.csv": "external_id,purpose,channel,granted,recorded_at\ng1,marketing,fax,yes,2026-01-01\n"
        },
        mappingOf(
          { file: "guests.csv", holds: "guests", columns: { external_id: "external_id" } },
          {
            file: "consents.csv",
            holds: "consents",
            columns: Object.fromEntries(
              ["external_id", "purpose", "channel", "granted", "recorded_at"].map((name) => [name, name])
            ),
            values: { channel: { fax: null } }
          }
        )
      )
      assert.deepStrictEqual(found.faults, ["invalid_consent consents.csv:2 channel"])
      assert.deepStrictEqual([found.figures.consents, found.leftOut.get("invalid_consent")?.rows], [0, 1])
    })
  )

  it.effect("says what words of cells stand for", () =>
    Effect.gen(function* () {
      const found = yield* planned(
        {
          "kunden.csv": "Nr;Stufe\ng1;Gold\ng2;Basis\ng3;Platin\n",
          "consents.csv": "Nr;Zweck;Kanal;Ja;Am\ng1;Werbung;E-Mail;ja;2026-01-01\n"
        },
        mappingOf(
          {
            file: "kunden.csv",
            holds: "guests",
            columns: { Nr: "external_id", Stufe: "tier_id" },
            values: { Stufe: { Gold: "vip", Basis: null } }
          },
          {
            file: "consents.csv",
            holds: "consents",
            columns: { Nr: "external_id", Zweck: "purpose", Kanal: "channel", Ja: "granted", Am: "recorded_at" },
            values: { Kanal: { "E-Mail": "email" }, Zweck: { Werbung: "marketing" } }
          }
        )
      )
      assert.deepStrictEqual(found.faults, ["unknown_tier kunden.csv:4 Stufe"])
      assert.deepStrictEqual([found.figures.tiers, found.figures.consents], [1, 1])
    })
  )
})
