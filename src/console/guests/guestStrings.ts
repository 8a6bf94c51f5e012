/** Every English text of what people do with a guest: enrol, cards, rewards. Apart from the others: the first page does not load them. */
import { texts } from "../shared/texts.ts"

export const guestStrings = texts("guest", {
  broughtBy: "Who brought the guest",
  broughtByHint: "The campaign that brings friends thanks for it. Leave it empty if nobody did.",
  enrol: "Enrol a guest",
  enrolHint: "One of these is enough. A guest without a card is found by name, e-mail or phone.",
  enrolled: "The guest is enrolled, but the card was not added. Correct the card and try again.",
  birthdayHint: "If the guest tells it: for a treat on the day.",
  mayWrite: (business: string) => `May ${business} write to the guest?`,
  mayWriteHint:
    "Ask the guest, and tick only what the guest agrees to. It is not needed to collect, and the guest can change it at any time.",
  /** As the guests' page asks for them (`src/guest/words`). */
  offersBy: { email: "News and offers by e-mail", sms: "News and offers by text message" },
  card: "Card number",
  cardHint: "As it is printed on the card or sent by the till.",
  issuer: "Issuer of the card",
  issuerHint: "Only if your tills send one: they find no card under another issuer.",
  known: "Is this guest here already?",
  knownAs: (balances: string) => `, ${balances}`,
  addCard: "Add a card",
  replace: "Replace",
  replaceOf: (value: string) => `Replace ${value}`,
  newCard: "New card number",
  replacePreview: (value: string) =>
    `The guest is found by the new card at once, and no longer by ${value}. Points and rewards stay as they are.`,
  remove: "Remove",
  removeOf: (value: string) => `Remove ${value}`,
  removePreview: (value: string) =>
    `The guest is no longer found by ${value}, and another guest may get it. Points and rewards stay as they are.`,
  last: "The last card or identity cannot be removed: replace it.",
  cancel: "Take back",
  cancelOf: (reward: string) => `Take back ${reward}`,
  cancelPreview: (reward: string) =>
    `“${reward}” is taken out of the wallet, and its code is refused at the till. Points that the guest paid for it go back to the guest; a reward that was given is not replaced. This cannot be undone.`
})
