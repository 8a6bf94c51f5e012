/** A line of what needs attention. */
import type { ReactNode } from "react"

export interface Item {
  readonly key: string
  readonly link: ReactNode
  readonly told: string
  /** True: it is no fault, but people must know. */
  readonly isNotice?: boolean
}

export const linkStyle = { underline: "always", c: "inherit", dir: "auto" } as const
