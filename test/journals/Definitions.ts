/** Programmes whose journals have all kinds of records: each list is one programme, and its later versions. */
import { file, type Json, usd } from "../core/rules/Builders.ts"

const definition = (change: (json: Json) => void): Json => {
  const json = file()
  // Costs that a few orders reach.
  json["rewards"][0]["cost"]["amount"] = 40
  json["rewards"][1]["cost"]["amount"] = 5
  for (const reward of json["rewards"]) {
    delete reward["available_from"]
    delete reward["available_until"]
  }
  json["rewards"][1]["effect"] = { type: "custom", effect_type: "org.example", payload: null }
  json["limits"] = { reservation_ttl_seconds: 4 * 86_400 }
  json["time_zone"] = "America/New_York"
  json["stamp_card"]["threshold"] = 20
  // Few entries are written for a third account.
  json["account_earning"] = json["account_earning"].filter(({ unit }: Json) => unit !== "credits")
  change(json)
  return json
}

const promotions = [
  {
    promotion_id: "happy",
    name: "Happy",
    effect: { multiply_bps: 15_000 },
    when: { weekly: [{ days: ["tue", "wed", "sat"], from: "04:00", until: "22:00" }] },
    limits: { per_member: { count: 2, every: "week" } }
  },
  {
    promotion_id: "first",
    name: "First",
    effect: { add: 50, multiplier_eligible: true },
    who: { first_order: true }
  },
  {
    promotion_id: "coffee",
    name: "Coffee",
    effect: { add_per_item: 2, unit: "stamps" },
    on: { product_ids: ["coffee"] },
    limits: { per_member: { count: 1, every: "day" } }
  },
  {
    promotion_id: "big",
    name: "Big",
    effect: { add: 25 },
    minimum_spend: usd(1_500),
    limits: { per_member: { count: 3, every: "promotion" } }
  }
]

const challenges = [
  { challenge_id: "orders", name: "Orders", count: { orders: 3 }, repeat: true, gives: { reward_id: "free" } },
  { challenge_id: "days", name: "Days", count: { days: 2 }, every: "month", gives: { reward_id: "off" } },
  {
    challenge_id: "items",
    name: "Coffees",
    count: { items: 6 },
    on: { product_ids: ["coffee"] },
    repeat: true,
    gives: { reward_id: "free", expires_in_seconds: 864_000 }
  },
  { challenge_id: "spend", name: "Spend", count: { spend: 4_000 }, every: "month", gives: { reward_id: "off" } },
  { challenge_id: "weeks", name: "Weeks", count: { weeks_in_a_row: 2 }, repeat: true, gives: { reward_id: "extra" } }
]

const inactivity = { type: "after_inactivity", days: 30, warning_days: [7] }

export const definitions: ReadonlyArray<ReadonlyArray<Json>> = [
  [
    definition((json) => {
      json["point_expiration"] = { type: "after_earned", days: 30, warning_days: [7] }
      json["promotions"] = promotions
      json["challenges"] = challenges
      json["stacking"] = "all"
      json["limits"]["orders_per_member_and_day"] = 3
    })
  ],
  [
    definition((json) => {
      json["point_expiration"] = inactivity
      json["tier_policy"]["retention"] = "following_period"
      json["promotions"] = promotions.slice(1)
    })
  ],
  [
    definition((json) => {
      json["point_expiration"] = { type: "after_earned", months: 1, at: "end_of_month", warning_days: [] }
      json["tier_policy"]["retention"] = "following_period"
      json["earning"]["dated_by"] = "placed_at"
      json["limits"]["points_per_order"] = 120
      json["promotions"] = promotions
      json["challenges"] = challenges.slice(0, 3)
    }),
    definition((json) => {
      json["point_expiration"] = inactivity
      json["stamp_card"]["threshold"] = 15
      json["promotions"] = promotions.slice(0, 2)
      json["challenges"] = challenges.slice(2)
    })
  ],
  [
    definition((json) => {
      delete json["point_expiration"]
      for (const tier of json["tiers"]) tier["qualification_metric_id"] = "ever"
      delete json["tier_policy"]
      json["metrics"] = json["metrics"].slice(1)
      json["challenges"] = challenges.slice(3)
    }),
    definition((json) => {
      json["point_expiration"] = inactivity
      for (const tier of json["tiers"]) tier["qualification_metric_id"] = "ever"
      delete json["tier_policy"]
      json["metrics"] = json["metrics"].slice(1)
    })
  ]
]
