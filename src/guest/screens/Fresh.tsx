/** Steps that only the guest herself may take: a code comes first, unless she has just entered one. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Own } from "../guest.ts"
import { useGuest, useOnce, useWork } from "../guest.ts"
import { Action } from "../parts.tsx"
import type { Requested, Session } from "../wire.ts"
import { Code } from "./Code.tsx"

interface FreshProps extends Pick<Own, "onSession" | "session"> {
  readonly onCancel: () => void
  readonly children: ComponentChildren
}

const freshMs = ({ fresh_until = "" }: Session): number => Math.max(0, Date.parse(fresh_until) - Date.now()) || 0

/** True until the code that was entered is no longer fresh. */
const useIsFresh = (session: Session): boolean => {
  const [, setOver] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setOver((times) => times + 1), freshMs(session))
    return () => clearTimeout(timer)
  }, [session])
  return freshMs(session) > 0
}

export const Fresh = ({ children, onCancel, onSession, session }: FreshProps) => {
  const { api, words } = useGuest()
  const work = useWork()
  const [request, setRequest] = useState<string>()
  const isFresh = useIsFresh(session)
  const ask = async () => setRequest((await api.send<Requested>("POST", "/fresh", {})).request_id)
  const enter = async (code: string) => {
    const opened = await api.send<Session>("POST", "/fresh/code", { request_id: request, code })
    setRequest(undefined)
    onSession(opened)
  }
  useOnce(() => {
    if (!isFresh) work.run(ask)
  })
  const asking =
    request !== undefined ? (
      <Code key={request} text={words.account.fresh} label={words.code.go} onCode={enter} onAgain={ask} />
    ) : work.isBusy ? (
      <p>{words.loading}</p>
    ) : (
      // The code of before is no longer fresh, or none could be sent.
      <Action work={work} kind="main" label={words.signIn.send} onPress={ask} />
    )
  return (
    <div class="ask">
      {isFresh ? children : asking}
      <p role="alert" class="fault">
        {work.fault}
      </p>
      <button type="button" class="plain" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  )
}
