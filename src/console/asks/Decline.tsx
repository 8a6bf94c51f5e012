/** Declines a gift that somebody asks for, with a note for who asked. Loaded once something waits: the first page does without dialogs. */
import { Denial } from "../../contract/admin/Asks.ts"
import { Field } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { asksClient } from "./asking.ts"
import { askStrings } from "./askStrings.ts"

const text = askStrings

export const Decline = (props: { readonly ask_id: string; readonly gift: string; readonly guest: string }) => {
  const { ask_id, gift, guest } = props
  return (
    <FormDialog
      label={text.decline}
      name={text.declineOf(gift, guest)}
      told={text.declined(gift, guest)}
      schema={Denial}
      send={(payload) => asksClient.asks.declineAsk({ params: { ask_id }, payload })}
      done={useRefresh("asks")}
    >
      <Field at="/note" label={text.note} hint={text.noteHint} input={{ maxLength: 255 }} />
    </FormDialog>
  )
}
