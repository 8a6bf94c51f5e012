/** The answer of the company's provider: the query of the address that it leads to. It works once. */

export const signedInPath = "/signed-in"

let kept: string | undefined

/** Takes the answer out of the address bar and the history, before the router reads the address. */
export const keepAnswer = (): void => {
  if (!location.pathname.endsWith(signedInPath)) return
  kept = location.search.slice(1)
  history.replaceState(history.state, "", location.pathname)
}

/** The answer; undefined: the page was opened otherwise. */
export const answer = (): string | undefined => (kept === "" ? undefined : kept)
