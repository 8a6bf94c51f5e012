import { tillStrings } from "../../app/tillStrings.ts"
import type { JustIssued } from "../../ui/SecretDialog.tsx"
import { SecretDialog } from "../../ui/SecretDialog.tsx"

const text = tillStrings

/** A connection's new key, once. */
export const TillKey = (props: {
  readonly issued: JustIssued | undefined
  readonly name: string
  readonly close: () => void
}) => (
  <SecretDialog
    issued={props.issued}
    title={text.secretTitle(props.name)}
    hint={text.secretHint}
    lost={text.secretLost}
    close={props.close}
  />
)
