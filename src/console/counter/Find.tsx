/** The counter's field: scanners type into it and press Enter, wherever the focus is. */
import { Button, Group, TextInput } from "@mantine/core"
import { useEffect, useRef, useState } from "react"
import { counterStrings } from "./counterStrings.ts"

const text = counterStrings

/** True of a key that a scanner or a person types as text, and that no field or dialog takes. */
const isTyped = ({ altKey, ctrlKey, key, metaKey, target }: KeyboardEvent): boolean =>
  // A blank presses the button that has the focus.
  key.length === 1 &&
  key !== " " &&
  !altKey &&
  !ctrlKey &&
  !metaKey &&
  !(target instanceof HTMLElement && target.closest("input, select, textarea, [role=dialog]") !== null) &&
  document.querySelector("[role=dialog]") === null

export const Find = ({ asked, find }: { readonly asked: string; readonly find: (text: string) => void }) => {
  const [typed, setTyped] = useState(asked)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(asked), [asked])
  useEffect(() => {
    field.current?.focus({ preventScroll: true })
    const take = (event: KeyboardEvent): void => {
      if (!isTyped(event)) return
      // The key itself comes into the field, in place of the text before.
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener("keydown", take)
    return () => document.removeEventListener("keydown", take)
  }, [])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        find(typed.trim())
        // The next card takes the place of this one.
        field.current?.select()
      }}
    >
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          ref={field}
          type="search"
          size="lg"
          label={text.field}
          description={text.fieldHint}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          style={{ flex: 1 }}
        />
        <Button type="submit" size="lg">
          {text.find}
        </Button>
      </Group>
    </form>
  )
}
