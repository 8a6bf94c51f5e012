/** Every English text that the cards of a programme's sections share. */
import { texts } from "../shared/texts.ts"

export const cardStrings = texts("card", {
  name: "Name",
  nameHint: "Guests see it.",
  description: "In a sentence, optional",
  edit: "Edit",
  editOf: (name: string) => `Edit ${name}`,
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  removed: (name: string) => `${name} is removed.`,
  putBack: "Put it back",
  switchOff: "Switch off",
  switchOffOf: (name: string) => `Switch off ${name}`,
  switchOn: "Switch on",
  switchOnOf: (name: string) => `Switch on ${name}`,
  incomplete: "Not complete yet. The form under Advanced says what is missing.",
  save: "Put it into the draft",
  drafted: "It is in the draft. Publish the draft to let it take effect.",
  unpublished: "Not published yet",
  draftHint: "It takes effect when you publish."
})
