/** Asks before unsaved input is lost by a link, the back button, closing a dialog or closing the tab. */
import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useState } from "react"
import { strings } from "../strings.ts"
import type { QuestionWords } from "./Question.tsx"
import { Question } from "./Question.tsx"

interface Place {
  readonly pathname: string
  readonly search: { readonly program?: string }
}

/** True if a navigation leaves the page. New filters or another selected row keep the form. */
const isElsewhere = ({ current, next }: { readonly current: Place; readonly next: Place }): boolean =>
  current.pathname !== next.pathname || current.search.program !== next.search.program

interface Guard {
  /** Runs an action that loses the input: immediately if there is none, else after a confirmation. */
  readonly ask: (leave: () => void) => void
  readonly isAsking: boolean
  /** Dismisses the question. Keeps the input. */
  readonly stay: () => void
  /** The question. A page may render it anywhere. */
  readonly question: ReactNode
}

export const useUnsaved = (isUnsaved: boolean, words: QuestionWords = strings.unsaved): Guard => {
  const [leave, setLeave] = useState<() => void>()
  const blocker = useBlocker({
    shouldBlockFn: isElsewhere,
    enableBeforeUnload: true,
    disabled: !isUnsaved,
    withResolver: true
  })
  const isAsking = leave !== undefined || blocker.status === "blocked"
  const stay = () => {
    setLeave(undefined)
    blocker.reset?.()
  }
  const go = () => {
    setLeave(undefined)
    leave?.()
    blocker.proceed?.()
  }
  return {
    isAsking,
    stay,
    ask: (next) => (isUnsaved ? setLeave(() => next) : next()),
    question: <Question isAsking={isAsking} words={words} stay={stay} leave={go} />
  }
}

/** The question for a page's form. */
export const Unsaved = ({ isUnsaved }: { readonly isUnsaved: boolean }) => useUnsaved(isUnsaved).question
