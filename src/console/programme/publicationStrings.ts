/** Every English text about what a publication would do. Apart from the others: the first page does not load them. */
import { texts } from "../shared/texts.ts"

export const publicationStrings = texts("publication", {
  title: "What it would do",
  members: "Members by tier",
  tier: "Tier",
  before: "Now",
  after: "After",
  difference: "Difference",
  isNew: "new",
  removed: "removed",
  noTiers: "The programme has no tiers.",
  sample: (counted: string, total: string) => `Of a sample of ${counted} of the ${total} members.`,
  orders: (n: number, shown: string) =>
    n === 1 ? "What one order of the last 30 days would earn" : `What ${shown} orders of the last 30 days would earn`,
  sampleOrders: (shown: string, total: string) => `A sample of guests: ${shown} of ${total} orders.`,
  noOrders: "No orders have accrued in the last 30 days.",
  account: "Account",
  nothing: "They would earn nothing, before and after.",
  range: (from: string, until: string, zone: string) => `Orders from ${from} to ${until} (${zone}).`,
  caveat: "They count by spend, place and time, with each member's present standing, and no use of a promotion before.",
  untried: (names: string) => `Not tried, because orders are recorded without their products: ${names}.`,
  cards: (rewards: string, n: number, name: string, cost: string | undefined, most: string) =>
    `With empty cards before, they would fill the stamp card for ${rewards} ${n === 1 ? "reward" : "rewards"} (${name}${cost === undefined ? "" : `, worth ${cost}`}), at most ${most} for one order.`,
  noWorth: "no worth",
  held: (n: number, points: string, was: string, is: string) =>
    `Guests hold ${points} ${n === 1 ? "point" : "points"}: ${was} → ${is}.`,
  cardsNow: (rewards: string) => `The card in force would give ${rewards}.`,
  completes: (challenge: string, n: number, guests: string, rewards: string, cost: string | undefined) =>
    n === 0
      ? `${challenge}: no member has enough for it already.`
      : `${challenge}: ${guests} ${n === 1 ? "member has" : "members have"} enough for it already. The next order that counts gives them ${rewards}${cost === undefined ? "" : `, worth ${cost}`}.`,
  completedRewards: (rewards: string, n: number, name: string) =>
    `${rewards} ${n === 1 ? "reward" : "rewards"} (${name})`,
  confirm: {
    title: "This may give a lot away",
    told: (rewards: string) =>
      `One order of 10 items may give ${rewards} rewards, by the stamp card or a challenge. Is that what you want?`,
    yes: (rewards: string) => `Yes, one order may give ${rewards} rewards`
  },
  offers: { rewards: "Rewards", promotions: "Promotions", challenges: "Challenges" },
  changes: {
    added: (names: string) => `come: ${names}`,
    removed: (names: string) => `go: ${names}`,
    changed: (names: string) => `change: ${names}`
  },
  noOffers: "No reward, promotion or challenge comes, goes or changes.",
  load: "Load a file",
  loadHint: "A programme file (JSON) fills the forms. Nothing is published before you do.",
  noJson: "The file is no JSON.",
  otherProgramme: (id: string) => `The file is for another programme: its program_id must be ${id}.`
})
