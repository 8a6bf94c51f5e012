/** The token of a client: a text, or a function that is asked for it, once more after a 401. */

export type Token = string | (() => string | Promise<string>)

export interface Tokens {
  /** The token in use; `undefined` if the client has none. */
  readonly current: () => Promise<string | undefined>
  /** A token that differs from the refused one, or undefined if there is none. */
  readonly after: (refused: string) => Promise<string | undefined>
}

/** Characters of a token. `fetch` would write another one into its error. */
const pattern = /^[\x21-\x7e]+$/

const checked = (token: unknown): string => {
  if (typeof token !== "string" || !pattern.test(token))
    throw new TypeError("token must be a text of visible ASCII characters, such as the `secret` of a new token")
  return token
}

export const tokensOf = (token: Token | undefined): Tokens => {
  if (token === undefined) return { current: async () => undefined, after: async () => undefined }
  if (typeof token === "string") {
    const only = checked(token)
    return { current: async () => only, after: async () => undefined }
  }
  // One question for all requests of a moment. One that failed is asked again by the next request.
  let asked: Promise<string> | undefined
  const ask = (): Promise<string> => {
    const question = (async () => checked(await token()))()
    asked = question
    question.catch(() => {
      if (asked === question) asked = undefined
    })
    return question
  }
  return {
    current: () => asked ?? ask(),
    after: async (refused) => {
      const before = asked
      const known = await before?.catch(() => undefined)
      if (known !== undefined && known !== refused) return known
      const next = await (asked === before || asked === undefined ? ask() : asked)
      return next === refused ? undefined : next
    }
  }
}
