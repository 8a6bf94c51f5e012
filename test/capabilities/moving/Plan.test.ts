/** Plans of moves in. Holds contract/moving.md *Files*, *Columns*, *Mapping*, *Plan*, *Faults*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Mapping from "../../../src/capabilities/moving/Mapping.ts"
import * as Sample from "../../../src/capabilities/moving/Sample.ts"
import { mappingOf, planned, written } from "./Files.ts"

const sums = ({ figures }: { readonly figures: { units: () => ReadonlyArray<{ readonly months: unknown }> } }) =>
  figures.units().map(({ months }) => months)

describe("a plan", () => {
  it.effect("counts guests and sums points by month of expiry, in the programme's zone and by its rule", () =>
    Effect.gen(function* () {
      const found = yield* planned({
        "guests.csv":
          "external_id,display_name,balance,tier_id,tier_until\ng1,Ada,150,vip,2026-12-31\ng2,Bob,40,,\ng3,Cem,0,,\n",
        "lots.csv":
          "external_id,amount,earned_at,expires_at\ng1,100,2026-01-01T00:00:00Z,\ng1,50,2026-02-01,2026-09-30\ng2,40,2026-03-01,never\n"
      })
      assert.deepStrictEqual(found.faults, [])
      assert.deepStrictEqual(found.rows, { guests: 3, lots: 3, rewards: 0, consents: 0 })
      assert.deepStrictEqual([found.figures.guests, found.figures.members, found.figures.tiers], [3, 0, 1])
      // The 30th of September is in September, though its end is an instant of October; 365 days after the first of January it is still December in New York.
      assert.deepStrictEqual(sums(found), [
        [
          ["2026-09", 50n],
          ["2026-12", 100n],
          ["never", 40n]
        ]
      ])
    })
  )

  it.effect("tells a guest who has neither an id nor a card of its own", () =>
    Effect.gen(function* () {
      const found = yield* planned({ "guests.csv": "card,card:loyalty_id,balance\nc1,c2,5\nc2,,7\n" })
      assert.deepStrictEqual(found.faults.toSorted(), ["invalid guests.csv:3 card", "shared_card guests.csv:3 card"])
      assert.deepStrictEqual([found.figures.guests, sums(found)], [1, [[["2027-07", 5n]]]])
    })
  )

  it.effect(
    "lets points that expire by inactivity end by the latest lot where nobody says when the guest last earned",
    () =>
      Effect.gen(function* () {
        const { promotions: _, ...demo } = Testing.demoProgram.file
        const terms = { type: "after_inactivity", days: 100, warning_days: [] } as const
        const found = yield* planned(
          {
            "guests.csv": "external_id,last_earned_at\ng1,\ng2,\ng3,2026-07-01\n",
            "lots.csv": [
              "external_id,amount,earned_at",
              ...["g1,10,2026-01-01", "g1,20,2026-06-01", "g2,40,2026-01-01", "g3,80,2026-01-01", ""]
            ].join("\n")
          },
          undefined,
          Testing.programOf({ ...demo, point_expiration: terms })
        )
        assert.deepStrictEqual(found.faults, ["expired lots.csv:4 expires_at"])
        assert.deepStrictEqual(sums(found), [[["inactivity", 110n]]])
      })
  )

  it.effect("takes a balance without lots as one lot of the day, and objects of JSON in lines", () =>
    Effect.gen(function* () {
      const guest = {
        member_id: "m1",
        identities: [{ type: "loyalty_id", value: "c1" }],
        lots: [{ unit: "points", amount: 7, earned_at: "2026-07-01T00:00:00Z" }],
        rewards: [{ reward_id: "one-off", code: "AAA" }],
        consents: [{ purpose: "marketing", granted: true, recorded_at: "2026-01-01T00:00:00Z" }]
      }
      const found = yield* planned({ "guests.jsonl": `${JSON.stringify(guest)}\n` })
      assert.deepStrictEqual(found.faults, [])
      assert.deepStrictEqual([found.figures.rewards, found.figures.consents], [1, 1])
      const balances = yield* planned({ "guests.csv": "member_id,balance\nm1,7\n" })
      assert.deepStrictEqual(sums(balances), [[["2027-07", 7n]]])
    })
  )

  it.effect("tells each fault with file, row and column, and quotes no cell", () =>
    Effect.gen(function* () {
      const found = yield* planned({
        "guests.csv": [
          "external_id,card,phone,balance,tier_id,email",
          "g1,c1,,10,,",
          "g1,c2,,10,,",
          "g2,c1,,5,gold,",
          "4.93E+15,c4,,0,,",
          "g5,c5,030 123456,0,,",
          "g6,c6,,0,,secret",
          "g7,c7,,0",
          ",c8,,0,,",
          ""
        ].join("\n"),
        "lots.csv":
          "external_id,amount,earned_at,expires_at,unit\ng1,9,2026-07-01,,\ng2,5,2026-07-01,2026-07-01,\nnobody,5,,,\ng1,1,2027-01-01,,\ng2,3,,,stamps\n",
        "rewards.csv": "external_id,reward_id,code\ng1,none,A\ng1,one-off,B\ng2,one-off,B\n"
      })
      assert.deepStrictEqual(found.faults.toSorted(), [
        "doubled_code rewards.csv:4 code",
        "doubled_guest guests.csv:3 external_id",
        "expired lots.csv:3 expires_at",
        "invalid_email guests.csv:7 email",
        "not_yet lots.csv:5 earned_at",
        "phone_without_country guests.csv:6 phone",
        "shared_card guests.csv:4 card",
        "shortened guests.csv:5 external_id",
        "uneven guests.csv:8",
        "unknown_guest lots.csv:4",
        "unknown_reward rewards.csv:2 reward_id",
        "unknown_tier guests.csv:4 tier_id",
        "unknown_unit lots.csv:6 unit",
        "without_id guests.csv:9"
      ])
      assert.notInclude(JSON.stringify(found.details), "secret")
    })
  )

  it.effect(
    "names the columns of the file, where a mapping gives them other fields, and asks for the date of a consent",
    () =>
      Effect.gen(function* () {
        const found = yield* planned(
          {
            "kunden.csv": "Nr;Karte;Newsletter;Seit\ng1;c1;ja;2024-01-01\ng1;c2;;\ng2;c1;;\ng3;c3;nein;\n",
            "codes.csv": "Nr;Art;Code\ng1;one-off;A\ng2;one-off;A\n"
          },
          mappingOf(
            {
              file: "kunden.csv",
              holds: "guests",
              columns: {
                Nr: "external_id",
                Karte: "card:loyalty_id",
                Newsletter: "marketing_consent",
                Seit: "joined_at"
              }
            },
            { file: "codes.csv", holds: "rewards", columns: { Nr: "external_id", Art: "reward_id", Code: "code" } }
          )
        )
        assert.deepStrictEqual(found.faults.toSorted(), [
          "doubled_code codes.csv:3 Code",
          "doubled_guest kunden.csv:3 Nr",
          "invalid_consent kunden.csv:5 Newsletter",
          "shared_card kunden.csv:4 Karte"
        ])
        const { detail } = found.details.find(({ name }) => name === "invalid_consent")!
        assert.strictEqual(detail, "The consent has no date: it is that of joined_at.")
      })
  )

  it.effect("tells a balance that makes no lot once, and sums it once", () =>
    Effect.gen(function* () {
      const found = yield* planned({ "guests.csv": "external_id,balance\ng1,-5\ng2,7\n" })
      assert.deepStrictEqual(found.faults, ["invalid guests.csv:2 balance"])
      assert.deepStrictEqual(
        [...found.leftOut].map(([name, { guests, points, rows }]) => [name, rows, guests, [...points]]),
        [["invalid", 0, 0, [["points", -5n]]]]
      )
      assert.deepStrictEqual([found.figures.guests, found.figures.units()[0]?.amount], [2, 7n])
    })
  )

  it.effect("tells guests whose lots differ, with what is beyond them and what is below apart", () =>
    Effect.gen(function* () {
      const found = yield* planned({
        "guests.csv": "external_id,balance\ng1,10\ng2,3\ng3,5\n",
        "lots.csv": "external_id,amount\ng1,4\ng2,9\ng3,5\n"
      })
      const sums = found.leftOut.get("lots_differ")
      assert.deepStrictEqual([sums?.guests, sums?.points.get("points"), sums?.below.get("points")], [2, 0n, -6n])
    })
  )

  it.effect("tells lots that do not sum to the balance, and stamps that would fill a card", () =>
    Effect.gen(function* () {
      const program = Testing.programOf({
        ...Testing.demoProgram.file,
        accounts: [
          { unit: "points", unit_label: "points", is_primary: true },
          { unit: "stamps", unit_label: "stamps", is_primary: false }
        ],
        account_earning: [
          ...(Testing.demoProgram.file.account_earning ?? []),
          { unit: "stamps", mode: "per_order", amount: 1, multiplier_eligible: false }
        ],
        stamp_card: { unit: "stamps", threshold: 10, reward_id: "one-off", resets: false }
      })
      const found = yield* planned(
        {
          "guests.csv": "external_id,balance,balance:stamps\ng1,10,12\n",
          "lots.csv": "external_id,amount,unit\ng1,9,\ng1,12,stamps\n"
        },
        undefined,
        program
      )
      assert.deepStrictEqual(found.faults.toSorted(), [
        "fills_card guests.csv:2 balance",
        "lots_differ guests.csv:2 balance"
      ])
    })
  )

  it.effect("asks for the order of dates and the separator of thousands, and never guesses", () =>
    Effect.gen(function* () {
      const files = { "lots.csv": "id;menge;datum\ng1;1.000;03/04/2026\n", "guests.csv": "id\ng1\n" }
      const lots = {
        file: "lots.csv",
        holds: "lots" as const,
        columns: { id: "external_id", menge: "amount", datum: "earned_at" }
      }
      const guests = { file: "guests.csv", holds: "guests" as const, columns: { id: "external_id" } }
      const asked = yield* planned(files, mappingOf(guests, lots))
      assert.deepStrictEqual(asked.faults, ["unsaid lots.csv:2 menge", "unsaid lots.csv:2 datum"])
      const told = yield* planned(files, mappingOf(guests, { ...lots, dates: "MDY", thousands: "." }))
      assert.deepStrictEqual(told.faults, [])
      // 365 days after the fourth of March.
      assert.deepStrictEqual(sums(told), [[["2027-03", 1000n]]])
    })
  )

  it.effect("reads the encodings of spreadsheets, and refuses a mixture", () =>
    Effect.gen(function* () {
      const text = "external_id;display_name;balance\ng1;Zoë;5\n"
      const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")])
      for (const content of [
        text,
        `\ufeff${text}`,
        Buffer.from(text, "latin1"),
        utf16,
        text.replaceAll("\n", "\r\n")
      ]) {
        const found = yield* planned({ "guests.csv": content })
        assert.deepStrictEqual([found.faults, sums(found)], [[], [[["2027-07", 5n]]]])
      }
      const mixed = Buffer.concat([
        Buffer.from(text),
        Buffer.alloc(300_000, "g9;Bob;5\n"),
        Buffer.from("g2;Zoë;5\n", "latin1")
      ])
      assert.include((yield* planned({ "guests.csv": mixed })).faults.at(-1), "unreadable")
    })
  )

  it.effect("tells files that are cut in the middle of a row", () =>
    Effect.gen(function* () {
      const faultsOf = (name: string, content: string) =>
        Effect.map(planned({ [name]: content }), ({ faults }) => faults)
      assert.deepStrictEqual(yield* faultsOf("a.csv", "external_id,balance\ng1,10\ng2,1"), ["cut_short a.csv:3"])
      assert.deepStrictEqual(yield* faultsOf("a.csv", "external_id,balance\ng1,10\ng2"), [
        "uneven a.csv:3",
        "cut_short a.csv:3"
      ])
      assert.include(yield* faultsOf("a.csv", 'external_id,balance\ng1,"10'), "unreadable a.csv:0")
      assert.deepStrictEqual(yield* faultsOf("a.jsonl", '{"member_id":"m1"}\n{"member_id":"m'), [
        "uneven a.jsonl:2",
        "cut_short a.jsonl:2"
      ])
    })
  )

  it.effect("names columns that nobody has mapped by their numbers: without a header they are a guest's", () =>
    Effect.gen(function* () {
      const found = yield* planned({ "guests.csv": "external_id,Ada Martin\ng1,x\n" })
      assert.deepStrictEqual(found.faults, ["unmapped guests.csv:0"])
      assert.notInclude(JSON.stringify(found.details), "Ada")
    })
  )
})

describe("a mapping", () => {
  it("has a calling code as telephone numbers begin, so that no number of the file is a fault for it", () => {
    const guests = { file: "guests.csv", holds: "guests", columns: { id: "external_id" } }
    const read = (calling_code: string) => Mapping.read({ version: 1, files: [{ ...guests, calling_code }] })
    assert.isTrue(Result.isSuccess(read("+49")))
    for (const wrong of ["49", "0049", "DE", "+0", ""]) {
      const refused = read(wrong)
      assert.deepStrictEqual(Result.isFailure(refused) && refused.failure, [
        { path: "/files/0/calling_code", message: "must be a calling code such as +49" }
      ])
    }
  })
})

describe("a suggested mapping", () => {
  it.effect("knows names of other systems, and leaves open what the rows do not tell", () =>
    Effect.gen(function* () {
      const files = written({
        "kunden.csv": "Kunden-Nr.;Vorname;Karte;Punkte;Geburtsdatum;Laune\n1;Ada;c1;5;03.04.1990;gut\n",
        "buchungen.csv": "Kunden-Nr.;Menge;Earned at;Expires\n1;1.000;03/04/2026;\n"
      })
      const { files: found } = yield* Sample.suggested(files)
      assert.deepStrictEqual(
        found.map(({ columns, dates, holds, separator, thousands }) => ({
          columns,
          dates,
          holds,
          separator,
          thousands
        })),
        [
          {
            columns: {
              "Kunden-Nr.": "external_id",
              Vorname: "first_name",
              Karte: "card:loyalty_id",
              Punkte: "balance",
              Geburtsdatum: "birth_date",
              Laune: null
            },
            ...{ dates: "DMY", holds: "guests", separator: ";", thousands: null }
          },
          {
            columns: { "Kunden-Nr.": "external_id", Menge: "amount", "Earned at": "earned_at", Expires: "expires_at" },
            ...{ dates: null, holds: "lots", separator: ";", thousands: null }
          }
        ]
      )
    })
  )
})

it.effect("a suggestion knows German names, with umlauts and without", () =>
  Effect.gen(function* () {
    const files = written({
      "kunden.csv": "Kundennummer;Eintrittsdatum;Stufe;Stufe bis\n1;03.04.2021;vip;31.12.2026\n",
      "punkte.csv": "Kundennummer;Punkte;Verdient am;Verfällt am\n1;10;01.02.2026;31.01.2028\n",
      "gueltig.csv": "Kundennummer;Punkte;Gueltig bis\n1;10;31.01.2028\n"
    })
    const { files: found } = yield* Sample.suggested(files)
    assert.deepStrictEqual(
      found.map(({ columns, holds }) => [holds, ...Object.values(columns)]),
      [
        ["guests", "external_id", "joined_at", "tier_id", "tier_until"],
        ["lots", "external_id", "amount", "earned_at", "expires_at"],
        ["lots", "external_id", "amount", "expires_at"]
      ]
    )
  })
)

it.effect("a plan leaves no temporary file", () =>
  Effect.gen(function* () {
    const temporary = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("lotbook-move-"))
    const before = temporary()
    yield* planned({ "guests.csv": "external_id\ng1\n" })
    assert.deepStrictEqual(temporary(), before)
  })
)
