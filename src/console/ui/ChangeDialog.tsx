/** A button that opens a dialog for one change: its fields, what will change, and why it was refused. */
import { Alert, Button, Group, Stack } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useState } from "react"
import { strings } from "../app/strings.ts"
import { Dialog } from "./Dialog.tsx"
import { sentenceOf } from "./States.tsx"
import { useUnsaved } from "./Unsaved.tsx"

interface ChangeDialogProps {
  readonly label: string
  /** What the opening button and the dialog are called where the label alone does not tell them from others. */
  readonly name?: string
  /** What the dialog's button says; absent: the label. */
  readonly submit?: string
  /** What is done; what was entered stays where it is refused. */
  readonly run: () => Promise<unknown>
  readonly done?: () => void
  /** Called when the dialog opens: fields begin anew. */
  readonly begin?: () => void
  /** Called when the dialog closes: what must not stay in memory is dropped. */
  readonly end?: () => void
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  readonly children: ReactNode | ((error: unknown) => ReactNode)
}

/** In a long dialog the refusal would be below what is seen. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" })

/** The dialog begins with its first field, not with the button that closes it. */
const beginAtField = (form: HTMLFormElement | null): void =>
  form?.querySelector("input, select, textarea")?.setAttribute("data-autofocus", "true")

export const ChangeDialog = (props: ChangeDialogProps) => {
  const { begin, children, done, end, isDangerous, isReady = true, label, name, run, submit = label } = props
  const [isOpen, { close: hide, open }] = useDisclosure()
  const [isTouched, setTouched] = useState(false)
  const { ask, isAsking, question, stay } = useUnsaved(isTouched)
  const close = () => {
    setTouched(false)
    hide()
    end?.()
  }
  const change = useMutation({
    mutationFn: run,
    onSuccess: () => {
      close()
      done?.()
    }
  })
  const color = isDangerous === true ? "red" : "indigo"
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={name}
        onClick={() => {
          change.reset()
          begin?.()
          open()
        }}
      >
        {label}
      </Button>
      <Dialog
        opened={isOpen}
        onClose={() => ask(close)}
        // The dialog hears this key before all others: the question would open and close by the same press.
        closeOnEscape={!isTouched}
        onKeyDown={({ key }) => {
          if (key !== "Escape" || !isTouched) return
          // The question is open, and has not got the focus yet.
          if (isAsking) stay()
          else ask(close)
        }}
        title={name ?? label}
        size="lg"
      >
        <form
          ref={beginAtField}
          onChange={() => setTouched(true)}
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate()
          }}
        >
          <Stack>
            {typeof children === "function" ? children(change.error) : children}
            {change.error === null ? undefined : (
              <Alert color="red" role="alert" ref={intoView}>
                {sentenceOf(change.error)}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {strings.states.cancel}
              </Button>
              <Button type="submit" color={color} loading={change.isPending} disabled={!isReady}>
                {submit}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
      {question}
    </>
  )
}
