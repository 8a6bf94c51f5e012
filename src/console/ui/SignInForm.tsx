import { Button, PasswordInput, Stack, Text } from "@mantine/core"
import type { FormEvent } from "react"
import { useEffect, useRef, useState } from "react"
import { useEnter, useSignIn } from "../app/session.tsx"
import { strings } from "../app/strings.ts"
import { Note } from "./Note.tsx"
import { Refused } from "./States.tsx"

const text = strings.signIn

type Way = "passkey" | "key"

/** Asks for a passkey or a key and signs in. A refusal keeps the input. */
export const SignInForm = (props: {
  readonly hint?: string
  /** True for somebody who signed in with a key before. */
  readonly isKeyFirst?: boolean
  readonly done?: () => void
}) => {
  const { done, hint, isKeyFirst = false } = props
  const enter = useEnter()
  const signIn = useSignIn()
  const [key, setKey] = useState("")
  const [refused, setRefused] = useState<{ readonly way: Way; readonly error: unknown }>()
  const [busy, setBusy] = useState<Way>()
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => (isKeyFirst ? field : button).current?.focus(), [isKeyFirst])
  const attempt = async (way: Way, work: () => Promise<void>): Promise<void> => {
    setBusy(way)
    setRefused(undefined)
    try {
      await work()
      setKey("")
      done?.()
    } catch (error) {
      setRefused({ way, error })
    } finally {
      setBusy(undefined)
    }
  }
  const withPasskey = async (): Promise<void> => {
    // Loaded at the first use: most pages open with a session.
    const { signInWithPasskey } = await import("../app/passkeys.ts")
    await enter(await signInWithPasskey())
  }
  const withKey = (event: FormEvent): void => {
    event.preventDefault()
    void attempt("key", () => signIn(key.trim()))
  }
  return (
    <Stack>
      {hint === undefined ? undefined : <Text c="dimmed">{hint}</Text>}
      <Stack gap="xs">
        <Button
          ref={button}
          data-autofocus={isKeyFirst ? undefined : true}
          loading={busy === "passkey"}
          disabled={busy === "key"}
          onClick={() => void attempt("passkey", withPasskey)}
        >
          {text.passkey}
        </Button>
        <Note>{text.passkeyHint}</Note>
      </Stack>
      {refused?.way === "passkey" ? <Refused error={refused.error} /> : undefined}
      <details
        open={isKeyFirst}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open) field.current?.focus()
        }}
      >
        <summary>{text.keyInstead}</summary>
        <form onSubmit={withKey}>
          <Stack mt="sm">
            <PasswordInput
              label={text.key}
              description={text.hint}
              name="key"
              autoComplete="current-password"
              required
              data-autofocus={isKeyFirst ? true : undefined}
              ref={field}
              value={key}
              onChange={({ currentTarget }) => setKey(currentTarget.value)}
            />
            {refused?.way === "key" ? <Refused error={refused.error} /> : undefined}
            <Button
              type="submit"
              variant="default"
              loading={busy === "key"}
              disabled={key.trim() === "" || busy === "passkey"}
            >
              {text.submit}
            </Button>
          </Stack>
        </form>
      </details>
    </Stack>
  )
}
