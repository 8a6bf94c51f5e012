/** Every English text of gifts that people ask others for. */
import { texts } from "../shared/texts.ts"

export const askStrings = texts("ask", {
  ask: "Ask a manager",
  asked: "A manager is asked. The answer appears here.",
  hint: "You may not give this. Somebody who may can give it for you within 24 hours, or tells you why not.",
  waiting: "Waiting for your decision",
  own: "Your questions",
  points: (amount: string, unit: string) => `${amount} ${unit}`,
  receipt: (receipt: string, amount: string) => `the order of receipt ${receipt} (${amount})`,
  earns: (earned: string, after: string) => `It earns ${earned}; the balance is then ${after}.`,
  alike: (orders: string) => `It may be there already: ${orders}. Look before you give it.`,
  askedBy: (who: string, gift: string) => `${who} asks for ${gift} for`,
  youAsked: (gift: string) => `${gift} for`,
  because: (reason: string, when: string) => `“${reason}”, ${when}`,
  effect: (before: string, after: string) => `The balance goes from ${before} to ${after}.`,
  reward: (reward: string) => `“${reward}” is added to the wallet immediately.`,
  changed: "The guest has changed since. This is how it is now.",
  give: "Give it",
  giveOf: (gift: string, guest: string) => `Give it: ${gift} for ${guest}`,
  given: (gift: string, guest: string) => `${guest} has got ${gift}.`,
  decline: "Decline",
  declineOf: (gift: string, guest: string) => `Decline: ${gift} for ${guest}`,
  declined: (gift: string, guest: string) => `${gift} for ${guest} is declined.`,
  note: "What you tell the person who asked",
  noteHint: "It must not contain personal data of guests.",
  states: {
    open: "Nobody has answered yet.",
    doing: (by: string) => `${by} is giving it.`,
    done: (by: string) => `${by} has given it.`,
    declined: (by: string, note: string) => `${by} has declined it: “${note}”`,
    over: "Nobody has answered within 24 hours. Ask again if it still matters."
  }
})
