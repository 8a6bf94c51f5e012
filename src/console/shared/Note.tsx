import type { TextProps } from "@mantine/core"
import { Text } from "@mantine/core"
import type { ReactNode } from "react"

/** Text of less weight: explains a field, a figure or a row. */
export const Note = (props: TextProps & { readonly children: ReactNode; readonly role?: "status" }) => (
  <Text size="sm" c="dimmed" {...props} />
)
