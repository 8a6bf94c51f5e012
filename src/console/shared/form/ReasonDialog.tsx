/** A change that needs a reason: shows its effects and asks for the reason. */
import { Alert } from "@mantine/core"
import type { ReactNode } from "react"
import { useState } from "react"
import { strings } from "../strings.ts"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { Reason } from "./Reason.tsx"

export const ReasonDialog = (props: {
  readonly label: string
  /** Accessible name, if the label alone is ambiguous. */
  readonly name?: string
  readonly isDangerous: boolean
  readonly preview: string
  /** Shown before the effects. */
  readonly children?: ReactNode
  readonly run: (reason: string) => Promise<unknown>
  readonly done: () => void
}) => {
  const { children, done, isDangerous, label, name, preview, run } = props
  const [reason, setReason] = useState("")
  return (
    <ChangeDialog
      label={label}
      {...(name === undefined ? undefined : { name })}
      isDangerous={isDangerous}
      isReady={reason !== ""}
      begin={() => setReason("")}
      done={done}
      run={() => run(reason)}
    >
      {(error: unknown) => (
        <>
          {children}
          <Alert color={isDangerous ? "red" : "indigo"} title={strings.member.preview}>
            {preview}
          </Alert>
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}
