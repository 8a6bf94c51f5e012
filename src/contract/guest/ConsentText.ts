/** Version of the words by which the page asks for consent (`src/guest/words`). Raise it with each change of their meaning. */
export const consentTextVersion = "1"
