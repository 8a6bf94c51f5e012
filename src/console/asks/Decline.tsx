/** Declines a gift that somebody asks for, with a note for who asked. Loaded once something waits: the first page does without dialogs. */
import { TextInput } from "@mantine/core"
import { useState } from "react"
import { call } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt } from "../shared/States.tsx"
import { asksClient } from "./asking.ts"
import { askStrings } from "./askStrings.ts"

const text = askStrings

export const Decline = (props: { readonly ask_id: string; readonly gift: string; readonly guest: string }) => {
  const { ask_id, gift, guest } = props
  const refresh = useRefresh("asks")
  const [note, setNote] = useState("")
  return (
    <ChangeDialog
      label={text.decline}
      name={text.declineOf(gift, guest)}
      submit={text.decline}
      told={text.declined(gift, guest)}
      isReady={note.trim() !== ""}
      begin={() => setNote("")}
      done={refresh}
      run={() => call(asksClient.asks.declineAsk({ params: { ask_id }, payload: { note: note.trim() } }))}
    >
      {(error: unknown) => (
        <TextInput
          label={text.note}
          description={text.noteHint}
          required
          maxLength={255}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          error={faultAt(error, "/note", note)}
        />
      )}
    </ChangeDialog>
  )
}
