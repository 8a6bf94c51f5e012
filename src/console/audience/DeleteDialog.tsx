/** Deletes what its page shows, and then leaves the page. */
import { Alert } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useEffect, useState } from "react"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import type { Once } from "../shared/form/once.ts"

interface DeleteDialogProps {
  readonly label: string
  readonly preview: string
  readonly run: (keyOf: Once["keyOf"]) => Promise<unknown>
  readonly done: () => void
  /** The list to go to. */
  readonly to: "/audience/segments" | "/audience/campaigns"
  /** Why it was refused, in words of the page. */
  readonly why?: (error: unknown) => ReactNode
}

export const DeleteDialog = ({ done, label, preview, run, to, why }: DeleteDialogProps) => {
  const navigate = useNavigate()
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (isDone) void navigate({ to, ignoreBlocker: true })
  }, [isDone, navigate, to])
  return (
    <ChangeDialog
      label={label}
      isDangerous
      run={run}
      done={() => {
        done()
        setDone(true)
      }}
    >
      {(error: unknown) => (
        <>
          <Alert color="red">{preview}</Alert>
          {why?.(error)}
        </>
      )}
    </ChangeDialog>
  )
}
