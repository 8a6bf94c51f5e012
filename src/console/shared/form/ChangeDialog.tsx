/** A button that opens a dialog for one change. Shows its fields, its effects and a refusal. */
import { Alert, Button, Group, Stack } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useState } from "react"
import { Help } from "../help/Help.tsx"
import type { Section } from "../help/helpStrings.ts"
import { areAllPlaced, isOutdated, sentenceOf } from "../States.tsx"
import { strings } from "../strings.ts"
import { tell } from "../told.ts"
import { Dialog } from "./Dialog.tsx"
import type { Once } from "./once.ts"
import { useOnce } from "./once.ts"
import { useUnsaved } from "./Unsaved.tsx"

export interface ChangeDialogProps<A> {
  readonly label: string
  /** Accessible name of the button and the dialog, if the label alone is ambiguous. */
  readonly name?: string
  /** Text of the dialog's button. Absent: the label. */
  readonly submit?: string
  /** The words once it has succeeded, or makes them of the action's result. Absent: that it is done. */
  readonly told?: string | ((result: A) => string)
  /** Runs the action. A refusal keeps the input. `keyOf` gives the idempotency key of a request. */
  readonly run: (keyOf: Once["keyOf"]) => Promise<A>
  readonly done?: (result: A) => void
  /** Called when the dialog opens. Resets the fields. */
  readonly begin?: () => void
  /** Called when the dialog closes. Drops secrets from memory. */
  readonly end?: () => void
  readonly isDangerous?: boolean
  /** The section of the owner's guide about it. */
  readonly help?: Section
  readonly isReady?: boolean
  /** True if the fault at a path is shown at its field. Absent: the dialog tells all of them. */
  readonly isPlaced?: (path: string) => boolean
  readonly children: ReactNode | ((error: unknown) => ReactNode)
}

/** Scrolls to the refusal, which may be below the visible part of a long dialog. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" })

/** Gives the first focus to the first field, not to the close button. */
const beginAtField = (form: HTMLFormElement | null): void =>
  form?.querySelector("input, select, textarea")?.setAttribute("data-autofocus", "true")

/** Whether a field has a list of choices, and that is open. */
const listOf = (field: EventTarget): "open" | "closed" | undefined => {
  if (!(field instanceof HTMLElement) || field.getAttribute("aria-haspopup") !== "listbox") return undefined
  return field.getAttribute("aria-expanded") === "true" ? "open" : "closed"
}

export const ChangeDialog = <A,>(props: ChangeDialogProps<A>) => {
  const {
    begin,
    children,
    done,
    end,
    help,
    isDangerous,
    isPlaced,
    isReady = true,
    label,
    name,
    run,
    submit = label,
    told
  } = props
  const [isOpen, { close: hide, open }] = useDisclosure()
  const [isTouched, setTouched] = useState(false)
  /** The refusal before the last change of the fields. */
  const [former, setFormer] = useState<unknown>(null)
  const once = useOnce()
  const { ask, isAsking, question, stay } = useUnsaved(isTouched)
  const close = () => {
    setTouched(false)
    hide()
    end?.()
  }
  const change = useMutation({
    mutationFn: () => run(once.keyOf),
    onSuccess: (result) => {
      once.done()
      close()
      tell((typeof told === "function" ? told(result) : told) ?? strings.states.done(name ?? label))
      done?.(result)
    }
  })
  const color = isDangerous === true ? "red" : "indigo"
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={name}
        aria-haspopup="dialog"
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
        // The dialog gets this key first, so the same press would open and close the question.
        closeOnEscape={!isTouched}
        onKeyDown={(event) => {
          // In a field with a list Enter chooses, and Escape closes an open list: neither is meant for the dialog.
          const list = listOf(event.target)
          if (event.key === "Enter" && list !== undefined) event.preventDefault()
          if (event.key !== "Escape" || !isTouched || list === "open") return
          // The question is open but has no focus yet.
          if (isAsking) stay()
          else ask(close)
        }}
        title={name ?? label}
        size="lg"
      >
        <form
          ref={beginAtField}
          onChange={() => {
            setTouched(true)
            setFormer(change.error)
          }}
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate()
          }}
        >
          <Stack>
            {help === undefined ? undefined : <Help section={help} />}
            {typeof children === "function" ? children(change.error) : children}
            {change.error === null || (change.error === former && !isOutdated(former)) ? undefined : (
              <Alert color="red" role="alert" ref={intoView}>
                {areAllPlaced(change.error, isPlaced) ? strings.states.atFields : sentenceOf(change.error)}
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
