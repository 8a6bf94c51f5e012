/** Holds contract/programmes.md *Programme file*, *Checks of a file*. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import { ProgramDefinition } from "../../../src/contract/protocol/Program.ts"
import { validate, validateDraft } from "../../../src/core/rules/ProgramFile.ts"
import type { Json } from "./Builders.ts"
import { file, program, usd } from "./Builders.ts"

const pathsOf = (json: unknown): ReadonlyArray<string> => {
  const result = validate(json)
  return Result.isFailure(result) ? result.failure.map(({ path }) => path) : []
}

const pathsAfter = (change: (json: Json) => void): ReadonlyArray<string> => {
  const json = file()
  change(json)
  return pathsOf(json)
}

const link = { label: "Menu", url: "https://example.com/menu" }
const page = { name: "Points", colour: "#1a7f5a", languages: ["de", "en"], links: [link] }

/** Broken part, how, and the places that must be named: these and no others. */
const broken: ReadonlyArray<readonly [rule: string, change: (json: Json) => void, paths: ReadonlyArray<string>]> = [
  ["a required property is there", (p) => delete p["name"], ["/name"]],
  ["an unknown property is refused", (p) => (p["accounts"][0].colour = "red"), ["/accounts/0/colour"]],
  ["program_id is an identifier", (p) => (p["program_id"] = "-p"), ["/program_id"]],
  ...["evaluate", "merge", "publish", "validate"].map(
    (id) => [`${id} is no program_id`, (p: Json) => (p["program_id"] = id), ["/program_id"]] as const
  ),
  ["the currency is three capital letters", (p) => (p["currency"] = "usd"), ["/currency"]],
  ["rounding is after_transaction", (p) => (p["earning"].rounding = "up"), ["/earning/rounding"]],
  ["channels are known", (p) => p["earning"].eligible_channels.push("fax"), ["/earning/eligible_channels/2"]],
  ["integers are safe", (p) => (p["tiers"][0].minimum = 2 ** 53), ["/tiers/0/minimum"]],
  ["texts have no NUL", (p) => (p["description"] = "a\u0000b"), ["/description"]],
  ["free-form keys are harmless", (p) => (p["metadata"] = JSON.parse('{"__proto__":1}')), ["/metadata/__proto__"]],

  ["names have at most 512 characters", (p) => (p["rewards"][0].name = "x".repeat(513)), ["/rewards/0/name"]],
  ["prose has at most 4,096 characters", (p) => (p["description"] = "x".repeat(4097)), ["/description"]],
  ["reward ids are identifiers", (p) => (p["rewards"][2].reward_id = "a b"), ["/rewards/2/reward_id"]],
  [
    "timestamps lie in the years 1 to 9999, in UTC too",
    (p) => {
      p["rewards"][0].available_from = "0001-01-01T00:00:00+01:00"
      p["rewards"][0].available_until = "9999-12-31T23:59:59-01:00"
    },
    ["/rewards/0/available_from", "/rewards/0/available_until"]
  ],
  [
    "timestamps are real",
    (p) => (p["rewards"][0].available_from = "2026-02-29T00:00:00Z"),
    ["/rewards/0/available_from"]
  ],
  [
    "effective_from is a real date",
    (p) => (p["tier_policy"].effective_from = "0000-12-31"),
    ["/tier_policy/effective_from"]
  ],
  [
    "free-form values are at most 32 levels deep",
    (p) => (p["metadata"] = JSON.parse('{"a":'.repeat(40) + "1" + "}".repeat(40))),
    [`/metadata${"/a".repeat(32)}`]
  ],

  [
    "account units are unique",
    (p) => (p["accounts"][2].unit = "stamps"),
    ["/accounts/2/unit", "/account_earning/0/unit"]
  ],
  ["there is a primary account", (p) => (p["accounts"][1].is_primary = false), ["/accounts"]],
  ["there is one primary account", (p) => (p["accounts"][2].is_primary = true), ["/accounts/2/is_primary"]],
  ["the rate is the primary account's", (p) => (p["earning"].rate.unit = "credits"), ["/earning/rate/unit"]],
  [
    "the rate's spend is positive",
    (p) => {
      p["earning"].rate.spend = usd(0)
      p["account_earning"].pop()
    },
    ["/earning/rate/spend/amount"]
  ],
  [
    "the rate's amount is not negative",
    (p) => {
      p["earning"].rate.amount = -1
      p["account_earning"].pop()
    },
    ["/earning/rate/amount"]
  ],
  [
    "money is in the programme's currency: rate",
    (p) => (p["earning"].rate.spend.currency = "EUR"),
    ["/earning/rate/spend/currency"]
  ],
  [
    "money is in the programme's currency: minimum",
    (p) => (p["earning"].minimum_eligible_spend.currency = "EUR"),
    ["/earning/minimum_eligible_spend/currency"]
  ],
  [
    "the minimum spend is not negative",
    (p) => (p["earning"].minimum_eligible_spend = usd(-1)),
    ["/earning/minimum_eligible_spend/amount"]
  ],

  ["earning rules name accounts", (p) => (p["account_earning"][1].unit = "visits"), ["/account_earning/1/unit"]],
  ["earning rules are one an account", (p) => (p["account_earning"][1].unit = "credits"), ["/account_earning/1/unit"]],
  ["mode spend has spend", (p) => delete p["account_earning"][0].spend, ["/account_earning/0/spend"]],
  [
    "mode spend has positive spend",
    (p) => (p["account_earning"][0].spend = usd(0)),
    ["/account_earning/0/spend/amount"]
  ],
  [
    "mode spend has the currency",
    (p) => (p["account_earning"][0].spend.currency = "EUR"),
    ["/account_earning/0/spend/currency"]
  ],
  ["mode per_order has no spend", (p) => (p["account_earning"][1].spend = usd(1)), ["/account_earning/1/spend"]],
  ["earning amounts are not negative", (p) => (p["account_earning"][1].amount = -1), ["/account_earning/1/amount"]],
  [
    "a spend primary equals the rate: amount",
    (p) => (p["account_earning"][2].amount = 11),
    ["/account_earning/2/amount"]
  ],
  [
    "a spend primary equals the rate: spend",
    (p) => (p["account_earning"][2].spend = usd(99)),
    ["/account_earning/2/spend/amount"]
  ],

  ["metric ids are unique", (p) => (p["metrics"][1].metric_id = "year"), ["/metrics/1/metric_id"]],
  ["metric units are accounts", (p) => (p["metrics"][1].unit = "visits"), ["/metrics/1/unit"]],
  ["a metric's source is known", (p) => (p["metrics"][1].source = "guess"), ["/metrics/1/source"]],

  ["tier ids are unique", (p) => (p["tiers"][1].tier_id = "gold"), ["/tiers/1/tier_id"]],
  ["tier minimums are unique", (p) => p["tiers"].push({ ...p["tiers"][0], tier_id: "x" }), ["/tiers/2/minimum"]],
  ["the ladder begins at 0", (p) => (p["tiers"][1].minimum = 1), ["/tiers/1/minimum"]],
  ["no tier is below 0", (p) => p["tiers"].push({ ...p["tiers"][0], tier_id: "x", minimum: -1 }), ["/tiers/2/minimum"]],
  [
    "a tier's metric exists",
    (p) => (p["tiers"][0].qualification_metric_id = "none"),
    ["/tiers/0/qualification_metric_id"]
  ],
  [
    "a tier's metric is the policy's",
    (p) => (p["tiers"][0].qualification_metric_id = "ever"),
    ["/tiers/0/qualification_metric_id"]
  ],
  [
    "the ladder stands on one metric, also without a policy",
    (p) => {
      delete p["tier_policy"]
      p["tiers"][1].qualification_metric_id = "ever"
    },
    ["/tiers/1/qualification_metric_id"]
  ],
  [
    "benefit ids are unique in a tier",
    (p) => (p["tiers"][1].benefits[1].benefit_id = "b1"),
    ["/tiers/1/benefits/1/benefit_id"]
  ],
  ["a multiplier is not negative", (p) => (p["tiers"][0].earn_multiplier_bps = -1), ["/tiers/0/earn_multiplier_bps"]],
  [
    "a multiplier is at most a hundredfold",
    (p) => (p["tiers"][0].earn_multiplier_bps = 1_000_001),
    ["/tiers/0/earn_multiplier_bps"]
  ],

  [
    "the policy's metric exists",
    (p) => {
      p["tiers"] = []
      p["tier_policy"].metric_id = "none"
    },
    ["/tier_policy/metric_id"]
  ],
  [
    "a period starts in a real month",
    (p) => (p["tier_policy"].period.starts_month = 13),
    ["/tier_policy/period/starts_month"]
  ],
  [
    "a period starts on a real day",
    (p) => {
      p["tier_policy"].period.starts_month = 4
      p["tier_policy"].period.starts_day = 31
    },
    ["/tier_policy/period/starts_day"]
  ],
  [
    "30 February is no day",
    (p) => {
      p["tier_policy"].period.starts_month = 2
      p["tier_policy"].period.starts_day = 30
    },
    ["/tier_policy/period/starts_day"]
  ],
  [
    "the time zone is real",
    (p) => (p["tier_policy"].period.time_zone = "America/Gotham"),
    ["/tier_policy/period/time_zone"]
  ],
  [
    "the time zone is a place, not an offset",
    (p) => (p["tier_policy"].period.time_zone = "+01:00"),
    ["/tier_policy/period/time_zone"]
  ],
  [
    "effective_from is a real date",
    (p) => (p["tier_policy"].effective_from = "2026-02-30"),
    ["/tier_policy/effective_from"]
  ],

  [
    "points last a day at least",
    (p) => (p["point_expiration"] = { type: "after_earned", days: 0, warning_days: [] }),
    ["/point_expiration/days"]
  ],
  [
    "warning days are less than days",
    (p) => (p["point_expiration"].warning_days = [7, 365]),
    ["/point_expiration/warning_days/1"]
  ],
  [
    "warning days are positive",
    (p) => (p["point_expiration"].warning_days = [0]),
    ["/point_expiration/warning_days/0"]
  ],
  [
    "warning days are unique",
    (p) => (p["point_expiration"].warning_days = [7, 7]),
    ["/point_expiration/warning_days/1"]
  ],

  [
    "points that end together end at an instant",
    (p) => (p["point_expiration"] = { type: "after_inactivity", months: 12, at: "end_of_month", warning_days: [] }),
    ["/point_expiration/at"]
  ],
  ["points have one life", (p) => (p["point_expiration"].months = 12), ["/point_expiration"]],
  ["points have a life", (p) => delete p["point_expiration"].days, ["/point_expiration"]],
  [
    "points last a hundred years at most",
    (p) => (p["point_expiration"] = { type: "after_earned", months: 1_201, warning_days: [] }),
    ["/point_expiration/months"]
  ],
  [
    "warning days are less than the fewest days that months may be",
    (p) => (p["point_expiration"] = { type: "after_earned", months: 2, warning_days: [58, 59] }),
    ["/point_expiration/warning_days/1"]
  ],
  [
    "points end at an instant, or with a day, month or year",
    (p) => (p["point_expiration"].at = "end_of_week"),
    ["/point_expiration/at"]
  ],

  ["reward ids are unique", (p) => (p["rewards"][2].reward_id = "off"), ["/rewards/2/reward_id"]],
  ["a cost is in a unit of the programme", (p) => (p["rewards"][0].cost.unit = "visits"), ["/rewards/0/cost/unit"]],
  ["a cost is not negative", (p) => (p["rewards"][0].cost.amount = -1), ["/rewards/0/cost/amount"]],
  [
    "a window is not inverted",
    (p) => (p["rewards"][0].available_until = "2026-05-31T23:59:59Z"),
    ["/rewards/0/available_until"]
  ],
  [
    "a window's ends are real",
    (p) => (p["rewards"][0].available_until = "2026-06-31T00:00:00Z"),
    ["/rewards/0/available_until"]
  ],
  [
    "allocations add up to the discount",
    (p) => (p["rewards"][0].effect.allocations[1].amount = usd(2)),
    ["/rewards/0/effect/allocations"]
  ],
  ["a discount has allocations", (p) => (p["rewards"][0].effect.allocations = []), ["/rewards/0/effect/allocations"]],
  [
    "allocations are not negative",
    (p) => {
      p["rewards"][0].effect.allocations = [{ amount: usd(102) }, { amount: usd(-1) }]
    },
    ["/rewards/0/effect/allocations/1/amount/amount"]
  ],
  [
    "allocations are in the currency",
    (p) => (p["rewards"][0].effect.allocations[0].amount.currency = "EUR"),
    ["/rewards/0/effect/allocations/0/amount/currency"]
  ],
  [
    "an allocation's unknown property is named",
    (p) => (p["rewards"][0].effect.allocations[0].x = 1),
    ["/rewards/0/effect/allocations/0/x"]
  ],
  [
    "line ids are unique in an effect",
    (p) => (p["rewards"][0].effect.allocations[1].line_id = "a"),
    ["/rewards/0/effect/allocations/1/line_id"]
  ],
  ["an effect's type is known", (p) => (p["rewards"][0].effect.type = "gift"), ["/rewards/0/effect/type"]],
  [
    "a discount is in the currency",
    (p) => (p["rewards"][0].effect.amount.currency = "EUR"),
    ["/rewards/0/effect/amount/currency"]
  ],
  [
    "a free item's value is in the currency",
    (p) => (p["rewards"][1].effect.max_value.currency = "EUR"),
    ["/rewards/1/effect/max_value/currency"]
  ],
  ["a free item is one at least", (p) => (p["rewards"][1].effect.max_quantity = 0), ["/rewards/1/effect/max_quantity"]],
  ["funding adds up to 10,000", (p) => (p["rewards"][0].funding[0].share_bps = 4999), ["/rewards/0/funding"]],
  ["funding is never empty", (p) => (p["rewards"][0].funding = []), ["/rewards/0/funding"]],
  [
    "no share is negative",
    (p) => {
      p["rewards"][0].funding[0].share_bps = -1
      p["rewards"][0].funding[1].share_bps = 10_001
    },
    ["/rewards/0/funding/0/share_bps", "/rewards/0/funding/1/share_bps"]
  ],
  [
    "a party pays once",
    (p) => {
      p["rewards"][0].funding[1] = { ...p["rewards"][0].funding[0] }
    },
    ["/rewards/0/funding/1/party_id"]
  ],
  [
    "funding amounts are the shares'",
    (p) => (p["rewards"][0].funding[0].amount = usd(51)),
    ["/rewards/0/funding/0/amount"]
  ],
  [
    "a custom effect's funding has no amounts",
    (p) => (p["rewards"][2].funding[0].amount = usd(0)),
    ["/rewards/2/funding/0/amount"]
  ],

  [
    "limits are positive",
    (p) => (p["limits"] = { reservation_ttl_seconds: 0, evaluation_ttl_seconds: -1 }),
    ["/limits/reservation_ttl_seconds", "/limits/evaluation_ttl_seconds"]
  ],
  [
    "an order has a sensible number of rewards",
    (p) => (p["limits"].rewards_per_order = 0),
    ["/limits/rewards_per_order"]
  ],
  [
    "the value of points is above 0, in the programme's currency",
    (p) => (p["point_value"] = { points: 1, worth: { amount: 0, currency: "EUR" } }),
    ["/point_value/worth/currency", "/point_value/worth/amount"]
  ],
  ["minimum_points is not negative", (p) => (p["redemption"] = { minimum_points: -1 }), ["/redemption/minimum_points"]],
  [
    "points pay a share of an order",
    (p) => (p["redemption"] = { pay_with_points: { reward_id: "off", max_share_bps: 10_001 } }),
    ["/redemption/pay_with_points/max_share_bps"]
  ],
  ...["none", "free", "extra"].map(
    (reward_id) =>
      [
        `points do not pay with reward ${reward_id}`,
        (p: Json) => (p["redemption"] = { pay_with_points: { reward_id, max_share_bps: 5_000 } }),
        ["/redemption/pay_with_points/reward_id"]
      ] as const
  ),
  ["the guests' page has a name", (p) => (p["guest_page"] = { ...page, name: " " }), ["/guest_page/name"]],
  ["its name is short", (p) => (p["guest_page"] = { ...page, name: "x".repeat(61) }), ["/guest_page/name"]],
  ...["red", "#fff", "#1a7f5", "#1a7f5az", "1a7f5a"].map(
    (colour) =>
      [`${colour} is no colour`, (p: Json) => (p["guest_page"] = { ...page, colour }), ["/guest_page/colour"]] as const
  ),
  ["its languages are known", (p) => (p["guest_page"] = { ...page, languages: ["fr"] }), ["/guest_page/languages/0"]],
  ["it speaks a language", (p) => (p["guest_page"] = { ...page, languages: [] }), ["/guest_page/languages"]],
  [
    "it speaks each language once",
    (p) => (p["guest_page"] = { ...page, languages: ["de", "en", "de"] }),
    ["/guest_page/languages/2"]
  ],
  [
    "it has at most five links",
    (p) => (p["guest_page"] = { ...page, links: Array(6).fill(link) }),
    ["/guest_page/links"]
  ],
  ...["http://example.com", "javascript:alert(1)", "example.com", "data:text/html,x"].map(
    (url) =>
      [
        `it leads to https pages, not to ${url}`,
        (p: Json) => (p["guest_page"] = { ...page, links: [{ ...link, url }] }),
        ["/guest_page/links/0/url"]
      ] as const
  ),
  ...["", " ", "x".repeat(41)].map(
    (label) =>
      [
        `a link of it has 1 to 40 characters, not ${label.length} of '${label.slice(0, 1)}'`,
        (p: Json) => (p["guest_page"] = { ...page, links: [{ ...link, label }] }),
        ["/guest_page/links/0/label"]
      ] as const
  ),
  ["a stamp card's unit is an account", (p) => (p["stamp_card"].unit = "visits"), ["/stamp_card/unit"]],
  ["a stamp card's threshold is one at least", (p) => (p["stamp_card"].threshold = 0), ["/stamp_card/threshold"]],
  ["a stamp card's reward exists", (p) => (p["stamp_card"].reward_id = "none"), ["/stamp_card/reward_id"]],
  ["a stamp card's reward lasts", (p) => (p["stamp_card"].reward_ttl_seconds = 0), ["/stamp_card/reward_ttl_seconds"]]
]

describe("Programme file", () => {
  it("the good file is good", () => {
    expect(pathsOf(file())).toEqual([])
  })

  // A promotion's, a challenge's and all others' numbers: the message has the bounds that hold.
  it.each([
    ["/limits/late_order_hours", 745, "0 to 744", (p: Json, n: number) => (p["limits"].late_order_hours = n)],
    ["/limits/rewards_per_order", 1.5, "1 to 1,000", (p: Json, n: number) => (p["limits"].rewards_per_order = n)],
    [
      "/limits/evaluation_ttl_seconds",
      0,
      "1 to 315,360,000",
      (p: Json, n: number) => (p["limits"].evaluation_ttl_seconds = n)
    ],
    [
      "/point_value/points",
      0,
      "1 to 1,000,000",
      (p: Json, n: number) => (p["point_value"] = { points: n, worth: usd(1) })
    ],
    ["/stamp_card/threshold", 0, "1 to 9,007,199,254,740,991", (p: Json, n: number) => (p["stamp_card"].threshold = n)],
    [
      "/point_expiration/warning_days/0",
      0,
      "1 to 36,524",
      (p: Json, n: number) => (p["point_expiration"].warning_days = [n])
    ],
    [
      "/promotions/0/effect/multiply_bps",
      10_000,
      "10,001 to 100,000",
      (p: Json, n: number) => (p["promotions"] = [{ promotion_id: "p", name: "P", effect: { multiply_bps: n } }])
    ],
    [
      "/promotions/0/minimum_spend/amount",
      -1,
      "0 to 10,000,000,000",
      (p: Json, n: number) =>
        (p["promotions"] = [{ promotion_id: "p", name: "P", effect: { add: 1 }, minimum_spend: usd(n) }])
    ],
    [
      "/challenges/0/count/weeks_in_a_row",
      27,
      "1 to 26",
      (p: Json, n: number) =>
        (p["challenges"] = [
          { challenge_id: "c", name: "C", count: { weeks_in_a_row: n }, gives: { reward_id: "off" } }
        ])
    ],
    [
      "/challenges/0/count/days",
      8,
      "1 to 7",
      (p: Json, n: number) =>
        (p["challenges"] = [
          { challenge_id: "c", name: "C", count: { days: n }, every: "week", gives: { reward_id: "off" } }
        ])
    ]
  ] as const)("%s of %d is refused with its bounds: %s", (path, value, bounds, change) => {
    const json = file()
    change(json, value)
    const result = validate(json)
    expect(Result.isFailure(result) ? result.failure : []).toMatchObject([
      { path, message: `must be a whole number from ${bounds}` }
    ])
  })

  it.each(broken)("%s", (_, change, paths) => {
    expect([...pathsAfter(change)].sort()).toEqual([...paths].sort())
  })

  it.each([
    [
      "a period may start on 29 February",
      (p: Json) => {
        p["tier_policy"].period.starts_month = 2
        p["tier_policy"].period.starts_day = 29
      }
    ],
    [
      "funding amounts may be given where they are the shares'",
      (p: Json) => {
        p["rewards"][0].funding[0].amount = usd(50)
        p["rewards"][0].funding[1].amount = usd(51)
      }
    ],
    ["a window may be one instant", (p: Json) => (p["rewards"][0].available_until = "2026-06-01T00:00:00Z")],
    [
      "a line discount need not name its lines",
      (p: Json) => {
        for (const allocation of p["rewards"][0].effect.allocations) delete allocation.line_id
      }
    ],
    [
      "the optional parts may be missing",
      (p: Json) => {
        for (const name of ["account_earning", "tier_policy", "point_expiration", "stamp_card", "limits"])
          delete p[name]
      }
    ],
    [
      "a programme may have no tiers, metrics or rewards",
      (p: Json) => {
        for (const name of ["tier_policy", "stamp_card"]) delete p[name]
        for (const name of ["tiers", "metrics", "rewards"]) p[name] = []
      }
    ]
  ])("%s", (_, change) => {
    expect(pathsAfter(change)).toEqual([])
  })

  it("programs/get answers within its schema for whatever the file may hold", () => {
    const { definition } = program((p) => {
      p["name"] = "🍜".repeat(512)
      p["description"] = ""
      p["rewards"][0].available_from = "0001-01-01t01:00:00.123456789+01:00"
      p["rewards"][0].available_until = "9999-12-31T22:59:59.9999-01:00"
      p["tiers"][0].minimum = Number.MAX_SAFE_INTEGER
    })
    const [reward] = definition.rewards
    expect([reward?.available_from, reward?.available_until]).toEqual([
      "0001-01-01T00:00:00.123Z",
      "9999-12-31T23:59:59.999Z"
    ])
    expect(Result.getOrThrow(strictDecoder(ProgramDefinition)(JSON.parse(JSON.stringify(definition))))).toEqual(
      definition
    )
  })

  it("all faults at once, whether of shape or of rule, each with a reason", () => {
    const result = validate({
      ...file(),
      nmae: "x",
      currency: 7,
      metrics: "none",
      point_expiration: { type: "after_earned", days: 5, warning_days: [9] },
      tiers: [
        { ...file()["tiers"][0], name: 1 },
        { ...file()["tiers"][1], minimum: 10 }
      ],
      rewards: [{ ...file()["rewards"][0], title: "x", funding: [] }]
    })
    const faults = Result.isFailure(result) ? result.failure : []
    expect(faults.map(({ path }) => path).sort()).toEqual([
      "/currency",
      "/metrics",
      "/nmae",
      "/point_expiration/warning_days/0",
      "/rewards/0/funding",
      "/rewards/0/title",
      "/stamp_card/reward_id",
      "/tiers/0/name",
      "/tiers/1/minimum"
    ])
    for (const fault of faults) expect(fault.message).not.toBe("")
  })

  it("a part that cannot be read draws no guesses about what refers to it", () => {
    expect(pathsAfter((p) => (p["accounts"][0].unit = "stars"))).toEqual(["/accounts/0/unit"])
    expect(pathsAfter((p) => (p["accounts"][1].is_primary = "yes"))).toEqual(["/accounts/1/is_primary"])
    expect(pathsAfter((p) => (p["metrics"][0].metric_id = 7))).toEqual(["/metrics/0/metric_id"])
    expect(pathsAfter((p) => (p["rewards"][1].reward_id = ""))).toEqual(["/rewards/1/reward_id"])
    expect(pathsAfter((p) => (p["tiers"][1].minimum = "0"))).toEqual(["/tiers/1/minimum"])
  })

  it.each([[null], [[]], ["{}"], [7]])("what is no object is refused: %j", (json) => {
    expect(pathsOf(json)).toEqual([""])
  })
})

describe("compile", () => {
  it("programs/get shows the file without its internal fields", () => {
    const { definition } = program()
    const { limits: _limits, stamp_card: _card, ...shown } = file()
    expect(definition).toEqual({
      ...shown,
      metrics: shown["metrics"].map(({ source: _source, ...metric }: Json) => metric),
      rewards: [
        {
          ...shown["rewards"][0],
          available_from: "2026-06-01T00:00:00.000Z",
          available_until: "2026-08-31T23:59:59.000Z"
        },
        ...shown["rewards"].slice(1)
      ]
    })
  })

  it("the guests' page is told to the page alone, not to tills (contract/programmes.md *The guests' page*)", () => {
    const { definition, file } = program((p) => (p["guest_page"] = page))
    expect(file.guest_page).toEqual(page)
    expect(definition).not.toHaveProperty("guest_page")
  })

  it("a file is the first version, and in force", () => {
    expect(program().version).toBe(1)
    expect(program().isRetired).toBe(false)
  })

  it("tiers are sorted by minimum, the definition stays as in the file", () => {
    expect(program().tiers.map((tier) => tier.tier_id)).toEqual(["base", "gold"])
    expect(program().definition.tiers.map((tier) => tier.tier_id)).toEqual(["gold", "base"])
  })

  it("days and weeks are those of the file's zone, else of the tier policy's, else of UTC (contract/programmes.md *Programme file*)", () => {
    const zoneAfter = (change: (json: Json) => void) => program(change).zone
    expect(zoneAfter((p) => (p["time_zone"] = "Asia/Tokyo"))).toBe("Asia/Tokyo")
    expect(zoneAfter(() => {})).toBe(file()["tier_policy"].period.time_zone)
    expect(zoneAfter((p) => delete p["tier_policy"])).toBe("UTC")
    expect(program((p) => (p["time_zone"] = "Asia/Tokyo")).definition).not.toHaveProperty("time_zone")
    expect(pathsAfter((p) => (p["time_zone"] = "Mars/Olympus"))).toEqual(["/time_zone"])
  })

  it("redemptions have limits only if the file says so", () => {
    expect(program().redemption).toEqual({ minimumPoints: 0, payWithPoints: undefined, rewardsPerOrder: Infinity })
    const limited = program((p) => {
      p["redemption"] = { minimum_points: 5, pay_with_points: { reward_id: "off", max_share_bps: 10_000 } }
      p["limits"].rewards_per_order = 1
    })
    const payWithPoints = { rewardId: "off", maxShareBps: 10_000 }
    expect(limited.redemption).toEqual({ minimumPoints: 5, payWithPoints, rewardsPerOrder: 1 })
    expect(limited.definition).toEqual(program().definition)
  })

  it("the value of points is told to operators, not to tills (contract/programmes.md *Programme file*)", () => {
    const point_value = { points: 100, worth: usd(75) }
    const valued = program((p) => (p["point_value"] = point_value))
    expect(valued.file.point_value).toEqual(point_value)
    expect(valued.definition).toEqual(program().definition)
  })

  it("limits default to 120 and 300 seconds (contract/programmes.md *Programme file*)", () => {
    const { evaluationTtlMs, reservationTtlMs } = program((p) => delete p["limits"])
    expect([reservationTtlMs, evaluationTtlMs]).toEqual([120_000, 300_000])
    expect(program().reservationTtlMs).toBe(60_000)
  })

  it("accounts, metrics, rewards and the stamp card are at hand", () => {
    const { accounts, metrics, primaryUnit, rewards, stampCard } = program()
    expect(primaryUnit).toBe("points")
    expect(accounts[1]).toEqual({ unit: "points", isPrimary: true, label: "pts" })
    expect(metrics[0]).toEqual({ metric_id: "year", unit: "points", source: "qualification_earned" })
    expect([...rewards.keys()]).toEqual(["off", "free", "extra"])
    expect(stampCard).toEqual({ unit: "stamps", threshold: 10, rewardId: "free", resets: true, rewardTtlMs: 60_000 })
  })
})

describe("a draft by an operator", () => {
  it("has pictures at https addresses alone, which older files need not have", () => {
    const json = file()
    json["rewards"][0].image_url = "gyoza.jpg"
    json["rewards"][1].image_url = "https://example.com/bowl.jpg"
    json["promotions"] = [
      { promotion_id: "p", name: "P", effect: { add: 1 }, image_url: "http://example.com/p.jpg" },
      { promotion_id: "q", name: "Q", effect: { add: 1 } }
    ]
    expect(pathsOf(json)).toEqual([])
    const drafted = validateDraft(json)
    const paths = Result.isFailure(drafted) ? drafted.failure.map(({ path }) => path) : []
    expect(paths).toEqual(["/rewards/0/image_url", "/promotions/0/image_url"])
    expect(Result.isSuccess(validateDraft(file()))).toBe(true)
  })
})
