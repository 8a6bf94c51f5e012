/** A page's heading. It sets the tab's title and gets the focus after a navigation. */
import { Title } from "@mantine/core"
import { useEffect, useRef } from "react"
import { strings } from "../app/strings.ts"

/** True after the first page, which leaves the focus to the browser. */
let wasShown = false

export const Heading = (props: {
  readonly children: string
  /** The section that the address names. */
  readonly part?: string | undefined
  /** The parent page. */
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
