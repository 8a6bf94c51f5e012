import { useSyncExternalStore } from "react"

const paper = matchMedia("print")

const follow = (changed: () => void) => {
  paper.addEventListener("change", changed)
  return () => paper.removeEventListener("change", changed)
}

/** True while the page is put on paper, which has every row. */
export const useIsOnPaper = (): boolean => useSyncExternalStore(follow, () => paper.matches)
