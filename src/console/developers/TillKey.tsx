import type { JustIssued } from "./SecretDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { tillStrings } from "./tillStrings.ts"

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
