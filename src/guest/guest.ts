/** The things that every screen knows. */
import { createContext } from "preact"
import { useContext, useEffect, useState } from "preact/hooks"
import type { Api } from "./api.ts"
import { NoNetwork, Refusal } from "./api.ts"
import type { Shown } from "./language.ts"
import type { Language, Me, PageFacts, Session, SignedIn } from "./wire.ts"
import type { Words } from "./words/en.ts"

export interface Around {
  readonly facts: PageFacts
  readonly api: Api
  readonly words: Words
  readonly shown: Shown
  readonly language: Language
  /** Tells what was done, to all senses. */
  readonly say: (message: string) => void
  readonly signedIn: (answer: SignedIn) => Promise<void>
  /** The session is over: the guest's things leave the browser. */
  readonly signedOut: () => void
}

const Context = createContext<Around | undefined>(undefined)
export const Guests = Context.Provider

export const useGuest = (): Around => {
  const around = useContext(Context)
  if (around === undefined) throw new Error("a screen is shown within its page")
  return around
}

export interface Own {
  readonly me: Me
  readonly session: Session
  readonly reload: () => Promise<void>
  readonly onSession: (session: Session) => void
}

/** Refusals in words; `own`: those of one form, by the problem's code or the field that has a fault. */
const told = (error: unknown, { errors }: Words, own: Readonly<Record<string, string>>): string => {
  if (error instanceof NoNetwork) return errors.network
  if (!(error instanceof Refusal)) return errors.unknown
  const fields: Readonly<Record<string, string>> = { ...errors.fields, ...own }
  const at = error.fields.find((field) => Object.hasOwn(fields, field))
  if (at !== undefined) return fields[at] ?? errors.invalid
  const said = own[error.code]
  if (said !== undefined) return said
  if (error.code === "member_not_active") return errors.member
  if (error.status === 401) return errors.signedOut
  if (error.status === 429) return errors.often
  if (error.status === 422) return errors.invalid
  if (error.status === 403 || error.status === 409) return errors.notNow
  return error.status >= 500 ? errors.busy : errors.unknown
}

export interface Work {
  readonly isBusy: boolean
  /** The refusal, in words. */
  readonly fault: string | undefined
  readonly fail: (fault: string) => void
  readonly run: (work: () => Promise<void>) => void
}

/** Work of one form: one at a time, its faults in words. */
export const useWork = (own: Readonly<Record<string, string>> = {}): Work => {
  const { say, signedOut, words } = useGuest()
  const [isBusy, setBusy] = useState(false)
  const [fault, fail] = useState<string>()
  const run = (work: () => Promise<void>): void => {
    if (isBusy) return
    setBusy(true)
    fail(undefined)
    work()
      .catch((error: unknown) => {
        fail(told(error, words, own))
        if (!(error instanceof Refusal) || error.status !== 401 || own[error.code] !== undefined) return
        signedOut()
        say(words.errors.signedOut)
      })
      .finally(() => setBusy(false))
  }
  return { isBusy, fault, fail, run }
}

/** Work at the first showing of a part, and never again. */
export const useOnce = (work: () => void): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it reads later is not its reason
  useEffect(work, [])
}
