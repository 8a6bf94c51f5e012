import { Button, PasswordInput, Stack, Text } from "@mantine/core"
import type { FormEvent } from "react"
import { useEffect, useRef, useState } from "react"
import { useSignIn } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { Refused } from "./States.tsx"

/** Asks for a key and signs in. A refusal keeps the input. */
export const SignInForm = ({ hint, done }: { readonly hint: string; readonly done?: () => void }) => {
  const signIn = useSignIn()
  const [key, setKey] = useState("")
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  // The form has one field.
  useEffect(() => field.current?.focus(), [])
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await signIn(key.trim())
      setKey("")
      setError(undefined)
      done?.()
    } catch (refused) {
      setError(refused)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text c="dimmed">{hint}</Text>
        <PasswordInput
          label={strings.signIn.key}
          name="key"
          autoComplete="current-password"
          required
          data-autofocus
          ref={field}
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <Refused error={error} />
        <Button type="submit" loading={isBusy} disabled={key.trim() === ""}>
          {strings.signIn.submit}
        </Button>
      </Stack>
    </form>
  )
}
