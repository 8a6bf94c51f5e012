/** Mantine's dialog, loaded when the first one opens. It would be a tenth of the first page's code. */
import type { ModalProps } from "@mantine/core"
import { Suspense, useState } from "react"
import { later } from "../Later.tsx"

const Loaded = later(() => import("./LoadedDialog.tsx"), "LoadedDialog")

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
