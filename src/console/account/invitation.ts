/** The secret of an invitation. It comes behind the # of an address, and is then kept in memory alone. */
import { useLocation } from "@tanstack/react-router"
import { useEffect, useState } from "react"

let kept: string | undefined

/** Keeps the secret of an invitation's address for the page of the invitation. */
export const keepInvitation = (url: string): void => {
  kept = new URL(url).hash.slice(1)
}

/** Call it when the invitation is used. */
export const forgetInvitation = (): void => {
  kept = undefined
}

/** The secret; undefined: the address has none. Takes it out of the address bar and the history. */
export const useInvitation = (): string | undefined => {
  const { hash } = useLocation()
  const [secret, setSecret] = useState(kept)
  useEffect(() => {
    if (hash === "") return
    kept = hash
    setSecret(hash)
    history.replaceState(history.state, "", `${location.pathname}${location.search}`)
  }, [hash])
  return hash === "" ? secret : hash
}
