/** A page's own heading. It is the title of the browser's tab, too, and gets the focus where the page is gone to. */
import { Title } from "@mantine/core"
import { useEffect, useRef } from "react"
import { strings } from "../app/strings.ts"

/** Whether a page was shown before: the first one leaves the focus where the browser has it. */
let wasShown = false

export const Heading = (props: {
  readonly children: string
  /** The part of the page that the address names. */
  readonly part?: string | undefined
  /** The page that this one belongs to. */
  readonly of?: string
}) => {
  const { children, of, part } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (wasShown) heading.current?.focus({ preventScroll: true })
    wasShown = true
  }, [])
  useEffect(() => {
    document.title = [part, children, of, strings.product].filter((name) => name !== undefined).join(" – ")
  }, [children, of, part])
  return (
    <Title order={1} ref={heading} tabIndex={-1} dir="auto" className="heading">
      {children}
    </Title>
  )
}
