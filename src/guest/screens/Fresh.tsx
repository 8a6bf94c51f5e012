/** Steps that only the guest herself may take: a code comes first, unless she has just entered one. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Own } from "../guest.ts"
import { useGuest, useOnce, useWork } from "../guest.ts"
import type { Requested, Session } from "../wire.ts"
import { Code } from "./Code.tsx"

interface FreshProps extends Pick<Own, "onSession" | "session"> {
  readonly onCancel: () => void
  readonly children: ComponentChildren
}

const isFresh = ({ fresh_until }: Session): boolean => fresh_until !== undefined && Date.parse(fresh_until) > Date.now()

export const Fresh = ({ children, onCancel, onSession, session }: FreshProps) => {
  const { api, words } = useGuest()
  const work = useWork()
  const [request, setRequest] = useState<string>()
  useOnce(() => {
    if (!isFresh(session))
      work.run(async () => setRequest((await api.send<Requested>("POST", "/fresh", {})).request_id))
  })
  return (
    <div class="ask">
      {isFresh(session) ? (
        children
      ) : request === undefined ? (
        <p>{work.fault === undefined ? words.loading : undefined}</p>
      ) : (
        <Code
          text={words.account.fresh}
          label={words.code.go}
          onCode={async (code) =>
            onSession(await api.send<Session>("POST", "/fresh/code", { request_id: request, code }))
          }
        />
      )}
      <p role="alert" class="fault">
        {work.fault}
      </p>
      <button type="button" class="plain" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  )
}
