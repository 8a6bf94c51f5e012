/** A code of six digits that was sent to the guest. */
import { useState } from "preact/hooks"
import { useGuest, useWork } from "../guest.ts"
import { Field, Form } from "../parts.tsx"

interface CodeProps {
  readonly text: string
  readonly label: string
  readonly onCode: (code: string) => Promise<void>
}

export const Code = ({ label, onCode, text }: CodeProps) => {
  const { words } = useGuest()
  const { code: own, digits } = words.errors
  const work = useWork({ unauthorized: own, not_found: own, expired: own, conflict: own, invalid_state: own })
  const [code, setCode] = useState("")
  const send = async () => {
    const typed = code.replace(/\D/g, "")
    if (typed.length === 6) await onCode(typed)
    else work.fail(digits)
  }
  return (
    <Form work={work} label={label} onSend={send}>
      <p>{text}</p>
      <Field
        label={words.code.label}
        value={code}
        onValue={setCode}
        input={{ inputMode: "numeric", autoComplete: "one-time-code", class: "code", maxLength: 8 }}
      />
    </Form>
  )
}
