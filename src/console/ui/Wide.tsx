import type { ReactNode } from "react"

/** A table that may be wider than the screen: it scrolls, by keyboard too. */
export const Wide = (props: {
  readonly label: string
  /** Pixels. */
  readonly minWidth: number
  readonly children: ReactNode
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: who uses the keyboard scrolls what has the focus
  <section aria-label={props.label} tabIndex={0} style={{ overflowX: "auto" }}>
    <div style={{ minWidth: props.minWidth }}>{props.children}</div>
  </section>
)
