import { Button, PasswordInput, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { FormEvent } from "react"
import { useEffect, useRef, useState } from "react"
import { expectFocus } from "../shared/Heading.tsx"
import { Note } from "../shared/Note.tsx"
import { Loading, Refused } from "../shared/States.tsx"
import { signInWays, useEnter, useSignIn } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { LanguageInput } from "./LanguageInput.tsx"

const text = strings.signIn

type Way = "passkey" | "provider" | "key"

const atProvider = async (): Promise<void> => {
  await (await import("./provider.ts")).beginAtProvider()
}

/** Attempts to sign in, one at a time, and the refusal of the last one. */
const useAttempt = (done: () => void) => {
  const [refused, setRefused] = useState<{ readonly way: Way; readonly error: unknown }>()
  const [busy, setBusy] = useState<Way>()
  const attempt = async (way: Way, work: () => Promise<void>): Promise<void> => {
    setBusy(way)
    setRefused(undefined)
    try {
      await work()
      // The page is left for the provider's.
      if (way !== "provider") done()
    } catch (error) {
      setRefused({ way, error })
    } finally {
      setBusy(undefined)
    }
  }
  return { attempt, busy, refused }
}

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
  const { attempt, busy, refused } = useAttempt(() => {
    setKey("")
    done?.()
  })
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const withPasskey = async (): Promise<void> => {
    // Loaded at the first use: most pages open with a session.
    const { signInWithPasskey } = await import("./passkeys.ts")
    await enter(await signInWithPasskey())
  }
  const ways = useQuery({
    queryKey: ["session", "ways"],
    queryFn: signInWays,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false
  })
  const isKeyOpen = isKeyFirst || ways.data?.first_start === true
  useEffect(expectFocus, [])
  // Nothing moves once it can be pressed.
  const isReady = !ways.isPending
  useEffect(() => {
    if (isReady) (isKeyOpen ? field : button).current?.focus()
  }, [isReady, isKeyOpen])
  const withKey = (event: FormEvent): void => {
    event.preventDefault()
    void attempt("key", () => signIn(key.trim()))
  }
  if (!isReady) return <Loading />
  return (
    <Stack>
      {hint === undefined ? undefined : <Text c="dimmed">{hint}</Text>}
      <Stack gap="xs">
        <Button
          ref={button}
          data-autofocus={isKeyOpen ? undefined : true}
          loading={busy === "passkey"}
          disabled={busy === "key" || busy === "provider"}
          onClick={() => void attempt("passkey", withPasskey)}
        >
          {text.passkey}
        </Button>
        <Note>{text.passkeyHint}</Note>
      </Stack>
      {ways.data?.provider === true ? (
        <Button
          variant="default"
          loading={busy === "provider"}
          disabled={busy === "passkey" || busy === "key"}
          onClick={() => void attempt("provider", atProvider)}
        >
          {text.provider}
        </Button>
      ) : undefined}
      {refused?.way === "provider" ? <Refused error={refused.error} /> : undefined}
      {refused?.way === "passkey" ? <Refused error={refused.error} /> : undefined}
      {ways.data?.first_start === true ? <Text>{text.firstStart}</Text> : undefined}
      <details
        open={isKeyOpen}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open) field.current?.focus()
        }}
      >
        <summary>{text.keyInstead}</summary>
        <form onSubmit={withKey}>
          <Stack mt="sm">
            <PasswordInput
              label={text.key}
              description={ways.data?.admin_key === false ? text.tokenHint : text.hint}
              name="key"
              autoComplete="current-password"
              required
              data-autofocus={isKeyOpen ? true : undefined}
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
      {done === undefined ? <LanguageInput /> : undefined}
    </Stack>
  )
}
