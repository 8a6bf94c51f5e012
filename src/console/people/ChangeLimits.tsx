/** Changes limits: of a role, or of one person. */
import { Alert } from "@mantine/core"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { Field, ReasonField } from "../shared/form/Field.tsx"
import type { FormDialogProps } from "../shared/form/FormDialog.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"

const text = staffStrings.limits

export const ChangeLimits = <P, A>(
  props: Pick<FormDialogProps<P, A>, "schema" | "send" | "start"> & {
    /** The role or the person. */
    readonly name: string
    readonly effect: string
    /** In an empty field. */
    readonly none: string
  }
) => {
  const { effect, name, none, ...form } = props
  return (
    <FormDialog
      {...form}
      help="people"
      label={text.change}
      name={staffStrings.people.of(text.change, name)}
      done={useRefresh("limits", "account", "staff")}
    >
      {limitNames.map((one) => (
        <Field key={one} at={`/${one}`} label={text.names[one]} input={{ placeholder: none }} />
      ))}
      <Alert title={strings.member.preview}>{effect}</Alert>
      <ReasonField />
    </FormDialog>
  )
}
