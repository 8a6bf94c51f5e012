/** A code of six digits that was sent to the guest. */
import { useState } from "preact/hooks"
import { Refusal } from "../api.ts"
import { useGuest, useWork } from "../guest.ts"
import { Action, Field, Form } from "../parts.tsx"

/** Wrong codes after which none of the request is right. */
const tries = 5

interface CodeProps {
  readonly text: string
  readonly label: string
  readonly onCode: (code: string) => Promise<void>
  /** Sends another code. A form with another key shows it. */
  readonly onAgain: () => Promise<void>
}

/** The form, until five codes were wrong: no code of the request is right then, and another one is sent. */
export const Code = ({ label, onAgain, onCode, text }: CodeProps) => {
  const { words } = useGuest()
  const { code: own, codes, digits } = words.errors
  const work = useWork({ unauthorized: own, not_found: own, expired: own, conflict: own, invalid_state: own })
  const again = useWork()
  const [code, setCode] = useState("")
  const [wrong, setWrong] = useState(0)
  const send = async () => {
    const typed = code.replace(/\D/g, "")
    if (typed.length !== 6) return work.fail(digits)
    await onCode(typed).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 401) setWrong(wrong + 1)
      throw error
    })
  }
  const isOver = wrong >= tries
  return (
    <>
      {isOver ? (
        <p role="alert" class="note">
          {codes}
        </p>
      ) : (
        <Form work={work} label={label} onSend={send}>
          <p>{text}</p>
          <Field
            label={words.code.label}
            value={code}
            onValue={setCode}
            input={{ inputMode: "numeric", autoComplete: "one-time-code", class: "code", maxLength: 8 }}
          />
        </Form>
      )}
      <Action work={again} kind={isOver ? "main" : "plain"} label={words.code.again} onPress={onAgain} />
      <p role="alert" class="fault">
        {again.fault}
      </p>
    </>
  )
}
