/** Every English text about when, where and on which products something holds. */
import { chooserStrings } from "../shared/choosers/chooserStrings.ts"
import { texts } from "../shared/texts.ts"

export const occasionStrings = texts("occasion", {
  days: "Days",
  daysHint: "None chosen: every day.",
  from: "From, time of day",
  until: "Until, time of day",
  hoursHint: (zone: string) => `Empty: the whole day. Earlier than the start: it goes past midnight. In ${zone}.`,
  first: "First day, optional",
  last: "Last day, optional",
  notShown: "It has times that are not edited here. The form under Advanced has them; they stay as they are.",
  products: "Of these products",
  categories: "Of these categories",
  places: "Only at these restaurants",
  placesHint: {
    names: "None chosen: at all of them.",
    ids: "Ids as the till sends them. None: at all of them. The page Today has a list in which each gets a name."
  },
  notChosen: (typed: string) => `“${typed}” was not added. Choose a restaurant from the list.`,
  noPlace: "No restaurant has such a name.",
  channels: "Only ordered by",
  channelsHint: "None chosen: however it is ordered.",
  idsHint: {
    products: chooserStrings.hint,
    categories: "With neither products nor categories, everything that earns counts."
  },
  faults: {
    hours: "It must end at another time than it begins.",
    dates: "The last day must not be before the first."
  },
  of: (what: string) => `For ${what}`,
  at: (places: string) => `At ${places}`,
  by: (channels: string) => `Only ${channels}`,
  everyDay: "Every day",
  range: (first: string, last: string) => `${first}–${last}`,
  window: (days: string, from: string, until: string) => `${days}, ${from}–${until}`,
  on: (days: string) => `On ${days}`,
  firstOn: (day: string) => `From ${day}`,
  lastOn: (day: string) => `Until ${day}, which counts`,
  before: (time: string) => `Until ${time}`,
  always: "At any time"
})
