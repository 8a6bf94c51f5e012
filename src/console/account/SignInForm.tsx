import { Button, PasswordInput, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Ref, RefObject } from "react"
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

interface WayProps {
  /** True: this way is the first, and open. */
  readonly isFirst: boolean
  readonly attempting: ReturnType<typeof useAttempt>
}

/** The refusal of one way. */
const RefusedBy = ({ attempting: { refused }, way }: Pick<WayProps, "attempting"> & { readonly way: Way }) =>
  refused?.way === way ? <Refused error={refused.error} /> : undefined

/** By a passkey, or at the company's provider. */
const ByPasskey = (props: WayProps & { readonly button: Ref<HTMLButtonElement>; readonly hasProvider: boolean }) => {
  const { attempting, button, hasProvider, isFirst } = props
  const { attempt, busy } = attempting
  const enter = useEnter()
  const withPasskey = async (): Promise<void> => {
    // Loaded at the first use: most pages open with a session.
    const { signInWithPasskey } = await import("./passkeys.ts")
    await enter(await signInWithPasskey())
  }
  return (
    <>
      <Stack gap="xs">
        <Button
          ref={button}
          variant={isFirst ? "filled" : "default"}
          data-autofocus={isFirst ? true : undefined}
          loading={busy === "passkey"}
          disabled={busy === "key" || busy === "provider"}
          onClick={() => void attempt("passkey", withPasskey)}
        >
          {text.passkey}
        </Button>
        <Note>{text.passkeyHint}</Note>
      </Stack>
      {hasProvider ? (
        <Button
          variant="default"
          loading={busy === "provider"}
          disabled={busy === "passkey" || busy === "key"}
          onClick={() => void attempt("provider", atProvider)}
        >
          {text.provider}
        </Button>
      ) : undefined}
      <RefusedBy attempting={attempting} way="provider" />
      <RefusedBy attempting={attempting} way="passkey" />
    </>
  )
}

/** By a key or a token: folded away for those who have passkeys. */
const ByKey = (
  props: WayProps & {
    readonly field: RefObject<HTMLInputElement | null>
    readonly hint: string
    readonly value: string
    readonly onChange: (key: string) => void
  }
) => {
  const { attempting, field, hint, isFirst, onChange, value } = props
  const { attempt, busy } = attempting
  const signIn = useSignIn()
  return (
    <details
      open={isFirst}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) field.current?.focus()
      }}
    >
      <summary>{isFirst ? text.withKey : text.keyInstead}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void attempt("key", () => signIn(value.trim()))
        }}
      >
        <Stack mt="sm">
          <PasswordInput
            label={text.key}
            description={hint}
            name="key"
            autoComplete="current-password"
            required
            data-autofocus={isFirst ? true : undefined}
            ref={field}
            value={value}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
          <RefusedBy attempting={attempting} way="key" />
          <Button
            type="submit"
            variant={isFirst ? "filled" : "default"}
            loading={busy === "key"}
            disabled={value.trim() === "" || busy === "passkey"}
          >
            {text.submit}
          </Button>
        </Stack>
      </form>
    </details>
  )
}

/** Asks for a passkey or a key and signs in. A refusal keeps the input. */
export const SignInForm = (props: {
  readonly hint?: string
  /** True for somebody who signed in with a key before. */
  readonly isKeyFirst?: boolean
  readonly done?: () => void
}) => {
  const { done, hint, isKeyFirst = false } = props
  const [key, setKey] = useState("")
  const attempting = useAttempt(() => {
    setKey("")
    done?.()
  })
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const ways = useQuery({
    queryKey: ["session", "ways"],
    queryFn: signInWays,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false
  })
  const { admin_key, first_start, provider } = ways.data ?? {}
  // While nobody has a passkey, a key is the only way in.
  const isKeyOpen = isKeyFirst || first_start === true
  useEffect(expectFocus, [])
  // Nothing moves once it can be pressed.
  const isReady = !ways.isPending
  useEffect(() => {
    if (isReady) (isKeyOpen ? field : button).current?.focus()
  }, [isReady, isKeyOpen])
  if (!isReady) return <Loading />
  const byPasskey = (
    <ByPasskey attempting={attempting} isFirst={!isKeyOpen} button={button} hasProvider={provider === true} />
  )
  return (
    <Stack>
      {hint === undefined ? undefined : <Text c="dimmed">{hint}</Text>}
      {first_start === true ? <Text>{text.firstStart}</Text> : undefined}
      {isKeyOpen ? undefined : byPasskey}
      <ByKey
        attempting={attempting}
        isFirst={isKeyOpen}
        field={field}
        hint={admin_key === false ? text.tokenHint : text.hint}
        value={key}
        onChange={setKey}
      />
      {isKeyOpen ? byPasskey : undefined}
      {done === undefined ? <LanguageInput /> : undefined}
    </Stack>
  )
}
