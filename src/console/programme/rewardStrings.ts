/** Every English text about a programme's rewards. Apart from the others: the first page does not load them. */
import { chooserStrings } from "../shared/choosers/chooserStrings.ts"
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const rewardStrings = texts("reward", {
  title: "Rewards",
  none: "There are no rewards yet. Add the first one.",
  add: "Add a reward",
  costs: (points: string, unit: string) => `${points} ${unit}`,
  off: (money: string) => `${money} off the order`,
  offLines: (money: string) => `${money} off some lines of the order`,
  free: (n: number, shown: string, worth: string) => `${shown} free ${count(n, "item", "items")}, worth up to ${worth}`,
  freeOf: (what: string) => `Of: ${what}`,
  freeOfAny: "Of anything",
  own: (name: string) => `Something of your own: ${name}`,
  from: (time: string) => `From ${time}`,
  until: (time: string) => `Until ${time}`,
  fromUntil: (from: string, until: string) => `From ${from}, until ${until}`,
  anyTime: "At any time, as often as the points allow",
  shownPicture: "Its picture",
  unnamed: (place: number) => `Reward ${place}`,
  advanced: "Advanced: every property of the rewards",
  points: (unit: string) => `Cost, in ${unit}`,
  gets: "What the guest gets",
  kinds: { discount: "Money off the order", free_item: "Free items" },
  exotic: "The guest gets something that is not edited here. The form under Advanced has it; it stays as it is.",
  amount: (currency: string) => `Amount off (${currency})`,
  quantity: "How many items",
  worth: (currency: string) => `Worth together at most (${currency})`,
  categories: "Of these categories",
  products: "Of these products",
  idsHint: {
    categories: chooserStrings.hint,
    products: "With neither categories nor products, it is any item."
  },
  picture: "Address of a picture, optional",
  paidBy: (party: string) => `${party} pays for it. The form under Advanced divides it among several.`,
  faults: {
    name: "Write a name.",
    points: "Write a whole number.",
    amount: "Write an amount such as 5.00.",
    quantity: "Write a whole number from 1.",
    picture: "Write an address that begins with https://."
  }
})
