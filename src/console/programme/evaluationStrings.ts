/** Every English text of the calculator: what an order would earn. */
import type { WithheldReason } from "../../contract/PromotionOutcomes.ts"
import type { IneligibleReason } from "../../contract/Values.ts"
import { texts } from "../shared/texts.ts"

export const evaluationStrings = texts("evaluation", {
  evaluate: "What an order would earn",
  spend: "What the guest pays",
  channel: "Channel",
  tier: "A new guest of the tier",
  location: "Restaurant",
  anyLocation: "Any other restaurant",
  earns: (amount: string) => `It would earn ${amount}.`,
  earnsNothing: "It would earn nothing.",
  because: {
    already_accrued: "It has earned before.",
    channel_not_eligible: "Orders of this channel earn nothing.",
    no_eligible_lines: "Nothing of it earns.",
    below_minimum_spend: "It is less than the least spend.",
    rounded_to_zero: "It is too little for one point.",
    limit_reached: "A limit is reached."
  } satisfies Record<IneligibleReason, string> as Record<IneligibleReason, string>,
  earnsBy: (points: string, name: string) => `${points} of it by ${name}`,
  fills: (n: number, rewards: string, name: string, cost: string | undefined) =>
    `It would fill the stamp card for ${rewards} ${n === 1 ? "reward" : "rewards"}: ${name}${cost === undefined ? "" : `, worth ${cost}`}.`,
  lacksItem: (name: string, items: string) => `${name} needs ${items} of its products more.`,
  lacksSpend: (name: string, spend: string) => `${name} needs ${spend} more.`,
  withheld: {
    order_earns_nothing: (name) => `${name}: the order earns nothing.`,
    disabled: (name) => `${name} is switched off.`,
    other_tier: (name) => `${name} is for guests of other tiers.`,
    joined_earlier: (name) => `${name} is for guests who joined later.`,
    not_first_order: (name) => `${name} is for a guest's first order.`,
    other_location: (name) => `${name} is for other restaurants.`,
    other_channel: (name) => `${name} is for other channels.`,
    other_time: (name) => `${name} does not run at that time.`,
    limit_reached: (name) => `${name} has been given as often as it may.`,
    no_such_products: (name) => `${name} is for other products.`,
    nothing_left: (name) => `${name} gives nothing for what is free, or paid with what does not count.`,
    minimum_spend: (name) => `${name} needs more spend.`,
    another_gives_more: (name) => `${name} does not count, because another one gives more.`,
    gives_nothing: (name) => `${name} would not give a whole point.`,
    order_limit_reached: (name) => `${name} adds nothing, because the order earns the most that an order may.`
  } satisfies Record<WithheldReason, (name: string) => string> as Record<WithheldReason, (name: string) => string>,
  product: "Product, if it matters",
  category: "Category, if it matters",
  placed: (zone: string) => `When it is placed (${zone})`,
  mendFirst: "Mend the errors first."
})
