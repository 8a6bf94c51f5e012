/** The lazily loaded part of `Dialog`. */
import type { ModalProps } from "@mantine/core"
import { Modal } from "@mantine/core"
import { useEffect, useState } from "react"

/** Starts closed, because Mantine returns the focus only if it sees the dialog open. */
export const LoadedDialog = ({ opened, ...props }: ModalProps) => {
  const [isMounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  // Its header is no banner: the page has one.
  return <Modal opened={opened && isMounted} attributes={{ header: { role: "presentation" } }} {...props} />
}
