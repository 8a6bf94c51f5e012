/** The counter's field: scanners type into it and press Enter, wherever the focus is. */
import { Button, Group, TextInput } from "@mantine/core"
import { useEffect, useRef, useState } from "react"
import { isTyped, takeEarly } from "../shared/form/typed.ts"
import { counterStrings } from "./counterStrings.ts"

const text = counterStrings

export const Find = ({ asked, find }: { readonly asked: string; readonly find: (text: string) => void }) => {
  const [typed, setTyped] = useState(asked)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(asked), [asked])
  const begin = useRef(find)
  useEffect(() => {
    field.current?.focus({ preventScroll: true })
    const [scanned = "", ...rest] = takeEarly().trimStart().split("\n")
    if (scanned !== "") setTyped(scanned)
    if (scanned !== "" && rest.length > 0) begin.current(scanned.trim())
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
