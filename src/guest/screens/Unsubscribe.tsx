/** The end of a campaign's mails, by the link of one. A button does it: programs that follow links must not. */
import { useState } from "preact/hooks"
import { useGuest, useWork } from "../guest.ts"
import { Form, Title } from "../parts.tsx"

export const Unsubscribe = ({ token, onDone }: { readonly token: string; readonly onDone: () => void }) => {
  const { api, facts, words } = useGuest()
  const text = words.unsubscribe
  const work = useWork({ not_found: text.wrong })
  const [isDone, setDone] = useState(false)
  return (
    <>
      <Title key={String(isDone)}>{isDone ? text.doneTitle : text.title}</Title>
      {isDone ? (
        <p role="status">{text.done(facts.name)}</p>
      ) : (
        <Form
          work={work}
          label={text.go}
          onSend={async () => {
            await api.unsubscribe(token)
            setDone(true)
          }}
        >
          <p>{text.text(facts.name)}</p>
        </Form>
      )}
      <button type="button" class="link" onClick={onDone}>
        {text.page}
      </button>
    </>
  )
}
