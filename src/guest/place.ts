/** The parts of the address: programme, screen, and secrets behind `#`, which browsers do not send. */

const screens = ["home", "card", "claim", "history", "account", "join", "sign-in"] as const
export type Screen = (typeof screens)[number]

export interface Place {
  readonly screen: Screen
  /** The code of a receipt. */
  readonly claim?: string
  /** The token of a link. */
  readonly link?: string
  /** The token of a mail's link that ends such mails. */
  readonly unsubscribe?: string
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const placeOf = (hash: string): Place => {
  const [name = "", value = ""] = hash.replace(/^#/, "").split(/=(.*)/s)
  if (name === "claim" && value !== "") return { screen: "claim", claim: decoded(value) }
  if (name === "link" && value !== "") return { screen: "sign-in", link: decoded(value) }
  if (name === "unsubscribe" && value !== "") return { screen: "home", unsubscribe: decoded(value) }
  return { screen: screens.find((one) => one === name) ?? "home" }
}

/** The programme in the page's path. */
export const programOf = (path: string): string => decoded(/^\/my\/([^/]+)/.exec(path)?.[1] ?? "")
