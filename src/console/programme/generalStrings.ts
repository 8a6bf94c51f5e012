/** Every English text about what a programme is, its accounts and its stamp card. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const generalStrings = texts("general", {
  title: "The programme",
  edit: "Change name, time zone, country and value of points",
  advanced: "Advanced: every property of the programme",
  unnamed: "It has no name yet.",
  currency: (name: string) => `Amounts are in ${name}. The currency of a programme stays.`,
  zone: (zone: string) => `Days, weeks and months are those of ${zone}.`,
  country: (code: string) => `Telephone numbers without a country code are those of ${code}.`,
  worth: (n: number, points: string, money: string) =>
    `In figures, ${points} ${count(n, "point is", "points are")} worth ${money}.`,
  noWorth: "Figures tell no money of points: nobody has said yet what points are worth.",
  own: (pairs: string) => `Data of your own: ${pairs}`,
  dialog: {
    zone: "Time zone",
    zoneHint: "Its days, weeks and months begin and end there.",
    noZone: "None of its own: that of the tiers, else UTC",
    country: "Country of the guests, optional",
    countryHint:
      "Two letters, such as DE. Imports read telephone numbers without a country code with it. Codes to telephones need it.",
    points: "So many points, optional",
    worth: (currency: string) => `Are worth (${currency})`,
    worthHint: "For figures alone: what is owed to guests, and what rewards cost. Both empty: no money of points.",
    faults: {
      name: "Write a name.",
      country: "Write two letters, such as DE, or leave it empty.",
      points: "Write a whole number from 1 to 1,000,000, or leave both empty.",
      worth: "Write an amount above 0 such as 1.00, or leave both empty."
    }
  },
  accounts: {
    title: "What guests collect",
    none: "There are no accounts yet. Add the first one.",
    add: "Add an account",
    advanced: "Advanced: every property of the accounts",
    unnamed: (place: number) => `Account ${place}`,
    primary: "The main account",
    other: "Beside the main account",
    kind: (unit: string) => `Counted as ${unit}`,
    earnsNothing: "No order gives any of it.",
    unit: "What it counts",
    name: "What guests call it, optional",
    nameHint: (unit: string) => `Empty: ${unit}.`,
    perOrder: "Each order gives so many",
    perOrderHint: "0: no order gives any. By spend: under Earning, Advanced.",
    earnedByRule: "How it is earned is under Earning.",
    full: "Each kind has its account already.",
    faults: { perOrder: "Write a whole number." }
  },
  stampCard: {
    title: "Stamp card",
    edit: "Change the stamp card",
    advanced: "Advanced: every property of the stamp card",
    none: "There is no stamp card.",
    fills: (n: string, unit: string) => `${n} ${unit} fill the card`,
    gives: (reward: string) => `A full card gives: ${reward}`,
    resets: "Then the card is empty again",
    stays: "What filled it stays on the account",
    usable: (n: number, shown: string) => `To be used within ${shown} ${count(n, "day", "days")}`,
    has: "Guests have",
    kinds: { none: "No stamp card", card: "A stamp card" },
    unit: "What fills it",
    fillings: { order: "A stamp for every order", items: "A stamp for each item of these products" },
    threshold: "How many fill it",
    reward: "What a full card gives",
    choose: "Choose a reward",
    needsReward: "A stamp card gives a reward. Add one under Rewards first.",
    empties: "A full card is emptied",
    days: "Days in which the reward can be used, optional",
    faults: {
      threshold: "Write a whole number from 1.",
      products: "Write at least one product or category.",
      reward: "Choose a reward.",
      days: "Write a number above 0."
    }
  }
})
