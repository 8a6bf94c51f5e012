import { TextInput } from "@mantine/core"
import { faultAt } from "../States.tsx"
import { strings } from "../strings.ts"

/** Input for a change's reason, which the audit trail keeps. */
export const Reason = (props: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: unknown
}) => (
  <TextInput
    label={strings.states.reason}
    description={strings.states.reasonHint}
    required
    maxLength={255}
    value={props.value}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    error={faultAt(props.error, "/reason", props.value)}
  />
)
