/** Copies a value, and tells once it was. A browser may refuse: an address without TLS has no clipboard. */
import type { ButtonProps } from "@mantine/core"
import { Button } from "@mantine/core"
import { useClipboard } from "@mantine/hooks"
import { useLayoutEffect } from "react"
import { strings } from "./strings.ts"

export const Copy = (
  props: ButtonProps & {
    readonly value: string
    readonly label: string
    readonly done: string
    readonly onCopied: () => void
  }
) => {
  const { done, label, onCopied, value, ...button } = props
  const { copied, copy, error } = useClipboard()
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once a copy
  useLayoutEffect(() => {
    if (copied) onCopied()
  }, [copied])
  return (
    <Button {...button} onClick={() => copy(value)}>
      {copied ? done : error === null ? label : strings.once.notCopied}
    </Button>
  )
}
