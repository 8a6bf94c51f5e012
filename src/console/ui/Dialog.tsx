/** Mantine's dialog, loaded when the first one opens. It would be a tenth of the first page's code. */
import type { ModalProps } from "@mantine/core"
import { lazy, Suspense, useState } from "react"

const Loaded = lazy(() => import("./LoadedDialog.tsx"))

export const Dialog = (props: ModalProps) => {
  const [wasOpened, setWasOpened] = useState(props.opened)
  if (props.opened && !wasOpened) setWasOpened(true)
  if (!wasOpened) return undefined
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  )
}
