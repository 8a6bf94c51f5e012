/** Every English text about taking rewards back. Apart from the others: the first page does not load them. */
import { count } from "./strings.ts"
import { texts } from "./texts.ts"

export const takeBackStrings = texts("takeBack", {
  label: "Take rewards back",
  ofRun: (at: string) => `Take rewards back: the run of ${at}`,
  ofCard: "Take rewards back: full stamp cards",
  ofChallenge: (name: string) => `Take rewards back: the challenge “${name}”`,
  from: "Issued from",
  fromHint: "When the mistake was published. Empty: from the first.",
  until: "Issued before",
  untilHint: "When it was mended. Empty: up to now.",
  preview: (n: number, shown: string) =>
    n === 0
      ? "There are no such rewards that are unused."
      : `${shown} unused ${count(n, "reward is", "rewards are")} taken out of the wallets, and the codes are refused at the till. Rewards that a till holds at that moment stay. This cannot be undone.`,
  done: (n: number, shown: string, left: number, shownLeft: string) =>
    `${shown} ${count(n, "reward", "rewards")} taken back${left === 0 ? "" : `; ${shownLeft} ${count(left, "was", "were")} left: held by a till, used or taken back by somebody else meanwhile, or beyond your limits`}`
})
