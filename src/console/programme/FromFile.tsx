/** Fills the programme's forms from a file, so that it is reviewed as any draft. */
import { Button, FileButton, Group } from "@mantine/core"
import { useRef, useState } from "react"
import { Note } from "../shared/Note.tsx"
import type { Draft } from "./draft.ts"
import { publicationStrings as text } from "./publicationStrings.ts"

/** The draft of a file, or why it is none. The service checks the rest. */
const draftOf = (json: string, id: string): Draft | string => {
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch {
    return text.noJson
  }
  const isOfProgramme = typeof parsed === "object" && parsed !== null && Reflect.get(parsed, "program_id") === id
  return isOfProgramme ? (parsed as Draft) : text.otherProgramme(id)
}

export const FromFile = ({ id, onDraft }: { readonly id: string; readonly onDraft: (draft: Draft) => void }) => {
  const [fault, setFault] = useState<string>()
  const reset = useRef<() => void>(null)
  const take = async (file: File | null) => {
    if (file === null) return
    const draft = draftOf(await file.text(), id)
    // Otherwise choosing the same file again, after correcting it, fires no event.
    reset.current?.()
    setFault(typeof draft === "string" ? draft : undefined)
    if (typeof draft !== "string") onDraft(draft)
  }
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <FileButton accept=".json,application/json" onChange={(file) => void take(file)} resetRef={reset}>
        {(button) => (
          <Button variant="default" size="xs" miw={100} {...button}>
            {text.load}
          </Button>
        )}
      </FileButton>
      <Note role="status">{fault ?? text.loadHint}</Note>
    </Group>
  )
}
