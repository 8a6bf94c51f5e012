/** A dialog with what cannot be shown again. A key, a click beside it, a link or a closed tab asks before it is gone. */
import type { ModalProps } from "@mantine/core"
import { strings } from "../strings.ts"
import { Dialog } from "./Dialog.tsx"
import { useUnsaved } from "./Unsaved.tsx"

export const OnceDialog = (
  props: ModalProps & {
    /** True while it shows something that nobody has copied yet. */
    readonly isHeld: boolean
  }
) => {
  const { isHeld, onClose, ...dialog } = props
  const { ask, isAsking, question, stay } = useUnsaved(isHeld, strings.once)
  return (
    <>
      <Dialog
        {...dialog}
        onClose={() => ask(onClose)}
        // The window would get this key before the question, which the same press would open and close.
        closeOnEscape={false}
        onKeyDown={({ key }) => {
          if (key !== "Escape") return
          // The question is open but has no focus yet.
          if (isAsking) stay()
          else ask(onClose)
        }}
      />
      {question}
    </>
  )
}
