/** Telephone numbers as people write them. Pure. */

/**
 * A number in the contract's form, E.164: without blanks and signs, `00` in front is `+`. What is no number with a
 * country code stays, so that the service names the fault.
 */
export const phoneIn = (text: string): string => {
  const plain = text.replaceAll(/\(0\)|[\s()./\u2010-\u2015-]/g, "").replace(/^00/, "+")
  return /^\+\d+$/.test(plain) ? plain : text.trim()
}
