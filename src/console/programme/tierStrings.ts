/** Every English text about a programme's tiers. */
import { texts } from "../shared/texts.ts"

export const tierStrings = texts("tier", {
  title: "Tiers",
  none: "There are no tiers yet: every guest earns alike. Add the first one.",
  add: "Add a tier",
  advanced: "Advanced: every property of the tiers",
  unnamed: (place: number) => `Tier ${place}`,
  lowest: "Every guest begins here",
  from: (amount: string, metric: string) => `${metric}: from ${amount}`,
  multiplied: (times: string) => `${times} times the points`,
  plain: "The usual points",
  benefits: (names: string) => `And: ${names}`,
  anew: (day: string) => `The count begins anew each year on ${day}.`,
  never: "The count never begins anew.",
  retention: {
    period: "A tier lasts until the year ends in which it was reached.",
    following_period: "A tier lasts through the year after the one in which it was reached."
  },
  metric: "Earned in all",
  dialog: {
    minimum: (metric: string) => `From how many (${metric})`,
    minimumHint: "0 for the lowest tier.",
    times: "Times the points",
    timesHint: "1: the usual points.",
    benefits: "What else guests of it get, optional",
    benefitsHint: "In a few words. Press Enter after each.",
    faults: {
      name: "Write a name.",
      minimum: "Write a whole number.",
      times: "Write a number from 0."
    }
  }
})
