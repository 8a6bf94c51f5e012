/** What `Dialog` loads. */
import type { ModalProps } from "@mantine/core"
import { Modal } from "@mantine/core"
import { useEffect, useState } from "react"

/** It begins closed, because Mantine gives the focus back only to what had it when the dialog opened. */
const LoadedDialog = ({ opened, ...props }: ModalProps) => {
  const [isMounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  return <Modal opened={opened && isMounted} {...props} />
}
export default LoadedDialog
