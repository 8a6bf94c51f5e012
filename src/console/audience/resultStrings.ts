/** Every English text about what campaigns cost and brought. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const resultStrings = texts("result", {
  title: "What campaigns cost and brought",
  hint: "Cost is the points given by the programme’s point value, and the rewards that were used. Revenue is what those reached spent within the time that the campaign sets, net of refunds.",
  newest: (n: string) => `The newest ${n} campaigns.`,
  name: "Campaign",
  reached: "Members reached",
  cost: "Cost",
  revenue: "Revenue",
  held: "Revenue of the holdout",
  brought: "Brought",
  given: "Rewards given",
  used: "Rewards used",
  points: "Points given",
  orders: "Orders",
  heldOrders: "Orders of the holdout",
  note: "Note",
  usedOf: (used: string, n: number, given: string) => `${used} of ${given} ${count(n, "reward", "rewards")} used`,
  pointsGiven: (n: number, points: string) => `${points} ${count(n, "point", "points")}`,
  lacksPoints: { value: "points have no set value", account: "points of other accounts have no value in money" },
  today: "at today’s value",
  lacksRewards: (n: number, shown: string) => `${shown} used ${count(n, "reward has", "rewards have")} no set value`,
  ordersOf: (n: number, shown: string) => `${shown} ${count(n, "order", "orders")}`,
  nobody: "nobody was reached yet",
  noHoldout: "cannot be told: nobody is held out",
  few: (n: string) => `cannot be told: a comparison needs ${n} reached and ${n} held out`,
  each: (each: string, held: string) => `${each} each, beside ${held} in the holdout`,
  chance: "may be chance",
  none: "No campaign has given anything yet"
})
