/** Every English text of the wizards: three questions, a sentence, and about what it costs. */
import { texts } from "../shared/texts.ts"

/** Orders that something is reckoned by. `all`: how many there were, if not all of them were tried. */
const tried = (orders: number, shown: string, all: string | undefined): string =>
  all !== undefined
    ? `${shown} of ${all} orders of the last 30 days`
    : orders === 1
      ? "the one order of the last 30 days"
      : `the ${shown} orders of the last 30 days`

export const wizardStrings = texts("wizard", {
  programme: "Begin with an idea",
  programmeHint:
    "Three questions each. The answer is put into the forms below, where you look at it before it is in force.",
  campaigns: "Begin with an idea",
  campaignsHint: "Three questions each. The answer is the draft of a campaign, which gives nothing yet.",
  toDraft: "Put it into the forms",
  drafted: "It is in the forms. Look at the changes: nothing is in force yet.",
  toCampaign: "Make the draft",
  made: "The draft is made. It gives nothing until it is activated.",
  result: "What will happen",
  cost: "What it costs",
  toAnswer: "Answer the three questions first.",
  needsReward: "A reward is needed first: make one in Rewards.",
  choose: "Choose …",
  from: "From",
  until: "Until",
  month: (amount: string, orders: number, shown: string, all: string | undefined) =>
    `About ${amount} a month, by ${tried(orders, shown, all)}.`,
  lessMonth: (amount: string, orders: number, shown: string, all: string | undefined) =>
    `About ${amount} less a month than now, by ${tried(orders, shown, all)}.`,
  noChange: (orders: number, shown: string, all: string | undefined) =>
    `Nothing more than now, by ${tried(orders, shown, all)}.`,
  points: (amount: string, unit: string) => `${amount} ${unit}`,
  exists: "There is one already",
  changeIt: (name: string) => `Change “${name}”`,
  another: "Make another beside it",
  stronger: (names: ReadonlyArray<string>) =>
    `Where ${names.length === 1 ? `“${names[0]}”` : `one of ${names.map((name) => `“${name}”`).join(", ")}`} gives more on an order, only that counts.`,
  never: "It would never be given",
  outdone: (name: string) =>
    `“${name}” gives as much or more on each of these orders. Give more here, change or end “${name}” under Promotions, or let every promotion of an order count there.`,
  excluded: "What is chosen earns nothing. Choose something else, or let it earn: How orders earn, under Earning.",
  twice: (name: string) => `There is one already: “${name}”. Guests would get both.`,
  changeThat: (name: string) => `Change “${name}” instead`,
  worth: "Say under General what points are worth, and it is told in money.",
  noOrders: "There are no orders of the last 30 days to reckon it by.",
  fewDays: (orders: string) => `It cannot be reckoned yet: your ${orders} orders are of less than a week.`,
  draftFaulty: "It is reckoned once the draft has no fault.",
  guests: (guests: number, shown: string, amount: string) =>
    `About ${amount} a month, by the guests of now: ${shown} ${guests === 1 ? "guest" : "guests"} a month.`,
  nobody: "Nobody a month, by the guests of now.",
  guestsOnly: (guests: number, shown: string) => `About ${shown} ${guests === 1 ? "guest" : "guests"} a month get it.`,
  atOnce: (guests: number, shown: string) =>
    guests === 1
      ? "In the first days one guest who stayed away already gets it."
      : `In the first days ${shown} guests who stayed away already get it.`,
  unknownOften: "How often that happens is not known before.",
  names: {
    coffeeStamps: "Coffee stamps",
    happyHour: "Happy hour",
    productOfMonth: "Product of the month",
    cateringCap: "Catering",
    birthday: "Birthday",
    winBack: "Win-back",
    bringFriend: "Bring a friend"
  },
  coffeeStamps: {
    products: "Which products earn a stamp?",
    stamps: "How many stamps fill the card?",
    reward: "What does a full card give?",
    says: (sold: string, stamps: string, reward: string) =>
      `Each ${sold} is a stamp. ${stamps} stamps give “${reward}”, and the card begins anew. Stamps are counted by themselves, beside the points.`,
    each: (amount: string) => `At most ${amount} for each one sold, if every card gets full.`
  },
  happyHour: {
    days: "On which days?",
    hours: "From when until when?",
    times: "How many times the points?",
    says: (days: string, from: string, until: string, times: string) =>
      `${days}, ${from} to ${until}: guests get ${times} times the points.`
  },
  productOfMonth: {
    products: "Which product?",
    points: "How many points more?",
    last: "Until which day?",
    says: (sold: string, points: string, last: string) =>
      `Until ${last} each guest gets ${points} more for an order with ${sold}, once a day.`,
    each: (amount: string) => `${amount} for each guest and day with one.`
  },
  cateringCap: {
    total: "Above which amount is an order catering?",
    earns: "What does such an order earn?",
    earnsKinds: { nothing: "Nothing: the till is told so", most: "As much as an order of that amount" },
    perDay: "How many orders of a guest earn on one day?",
    says: {
      nothing: (total: string, perDay: string) =>
        `An order above ${total} is no part of the programme: the till closes it without the card. A guest earns by at most ${perDay} a day.`,
      most: (total: string, points: string, perDay: string) =>
        `No order earns more than ${points}, which one of ${total} earns by the base rate. A guest earns by at most ${perDay} a day.`
    },
    orders: (orders: number, shown: string) => (orders === 1 ? "one order" : `${shown} orders`)
  },
  birthday: {
    reward: "What does the guest get?",
    ahead: "How many days before the birthday?",
    usable: "For how many days is it good?",
    says: (reward: string, ahead: number, shown: string, usable: string) =>
      `Each morning at 8: guests whose birthday is ${ahead === 1 ? "tomorrow" : `in the next ${shown} days`} or today get “${reward}”, good for ${usable}, once a year.`,
    segment: "Birthday soon"
  },
  winBack: {
    away: "After how many days without an order?",
    orders: "After at least how many orders?",
    reward: "What does the guest get?",
    says: (away: string, orders: string, reward: string) =>
      `Each morning at 8: guests with at least ${orders} who have stayed away for ${away} get “${reward}”, good for 30 days, once in 300 days.`,
    orderCount: (orders: number, shown: string) => (orders === 1 ? "one order" : `${shown} orders`),
    segment: (away: string) => `Stayed away for ${away}`
  },
  bringFriend: {
    points: "How many points does who brings a friend get?",
    delay: "How many days after the friend's first order?",
    most: "How often at most in 30 days?",
    says: (points: string, delay: string, most: number, shown: string) =>
      `Who brings a friend gets ${points}, ${delay} after the friend's first order, at most ${most === 1 ? "once" : `${shown} times`} in 30 days. Enrol asks who brought the guest.`,
    each: (amount: string) => `${amount} for each friend who comes.`,
    reason: "Thanks for your friend"
  },
  days: (days: number, shown: string) => (days === 1 ? "one day" : `${shown} days`),
  /** Days that somebody has stayed away for. */
  awayDays: (days: number, shown: string) => (days === 1 ? "one day" : `${shown} days`),
  faults: {
    number: (least: string) => `A whole number from ${least} on.`,
    numberTo: (least: string, most: string) => `A whole number from ${least} to ${most}.`,
    past: "This day is over: choose today or a later one.",
    total: (digits: number, shown: string) =>
      `An amount above 0${digits === 0 ? ", without decimals" : `, with at most ${shown} decimals`}.`,
    hours: "The end must be another time than the beginning."
  }
})
