/** A page's heading. It sets the tab's title and gets the focus after a navigation. */
import { Group, Title } from "@mantine/core"
import { useEffect, useRef } from "react"
import { Help } from "./help/Help.tsx"
import type { Section } from "./help/helpStrings.ts"
import { strings } from "./strings.ts"

/** True after the first page, which leaves the focus to the browser. */
let wasShown = false

/** Lets the first heading get the focus too: it comes after a sign-in form, which had it. */
export const expectFocus = (): void => {
  wasShown = true
}

/** Gives the focus to the page's heading if what had it is gone. */
export const catchFocus = (): void => {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>("h1.heading")?.focus({ preventScroll: true })
}

export const Heading = (props: {
  readonly children: string
  /** The section that the address names. */
  readonly part?: string | undefined
  /** The parent page. */
  readonly of?: string
  /** The section of the owner's guide about the page. */
  readonly help?: Section
}) => {
  const { children, help, of, part } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (wasShown) heading.current?.focus({ preventScroll: true })
    wasShown = true
  }, [])
  useEffect(() => {
    document.title = [part, children, of, strings.product].filter((name) => name !== undefined).join(" – ")
  }, [children, of, part])
  const title = (
    <Title order={1} ref={heading} tabIndex={-1} dir="auto" className="heading">
      {children}
    </Title>
  )
  if (help === undefined) return title
  return (
    <Group gap="xs" wrap="nowrap">
      {title}
      <Help section={help} of={children} />
    </Group>
  )
}
