/** A change that needs a reason: shows its effects and asks for the reason. */
import { Alert } from "@mantine/core"
import type { ReactNode } from "react"
import { strings } from "../strings.ts"
import { ReasonField } from "./Field.tsx"
import type { FormDialogProps } from "./FormDialog.tsx"
import { FormDialog } from "./FormDialog.tsx"

export const ReasonDialog = <P, A>({
  children,
  preview,
  ...dialog
}: Omit<FormDialogProps<P, A>, "children" | "needs"> & {
  readonly preview: string
  /** Shown before the effects. */
  readonly children?: ReactNode
}) => (
  <FormDialog {...dialog} needs={["/reason"]}>
    {children}
    <Alert color={dialog.isDangerous === true ? "red" : "indigo"} title={strings.member.preview}>
      {preview}
    </Alert>
    <ReasonField />
  </FormDialog>
)
