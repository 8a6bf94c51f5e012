import { connectorStrings } from "./connectorStrings.ts"
import type { JustIssued } from "./SecretDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

const text = connectorStrings

/** A connector's new secret, once. */
export const ConnectorSecret = (props: {
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
