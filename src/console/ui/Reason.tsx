import { TextInput } from "@mantine/core"
import { strings } from "../app/strings.ts"
import { faultAt } from "./States.tsx"

/** Why a change is made: it stays in the audit trail. */
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
    error={faultAt(props.error, "/reason")}
  />
)
