/** A section of the owner's guide, with its heading, which has the focus. */
import "./help.css"
import { Anchor, CloseButton, Group, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { Shown } from "../States.tsx"
import { readSection } from "./guide.ts"
import type { Section } from "./helpStrings.ts"
import { helpStrings } from "./helpStrings.ts"

const text = helpStrings

/** Escape in it closes the help, and not the dialog around it. */
const alone = { "data-mantine-stop-propagation": "true" }

/** The guide changes with the service alone. */
const staleMs = 3_600_000

export const HelpText = (props: {
  readonly section: Section
  /** The heading, which names the page or the dialog. */
  readonly title: string
  readonly close: () => void
}) => {
  const { close, section, title } = props
  const anchor = text.sections[section]
  const found = useQuery({ queryKey: ["help", anchor], staleTime: staleMs, queryFn: () => readSection(anchor) })
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text component="h2" ref={heading} tabIndex={-1} className="heading" fw={700} {...alone}>
          {title}
        </Text>
        <CloseButton aria-label={text.close} onClick={close} {...alone} />
      </Group>
      <Shown query={found}>
        {({ html }) => (
          <>
            {/* The service's own page, which `docs` writes; it has no script. */}
            {/* biome-ignore lint/security/noDangerouslySetInnerHtml: written by the service from its own files */}
            <div className="guide" dangerouslySetInnerHTML={{ __html: html }} />
          </>
        )}
      </Shown>
      <Anchor href={`${text.guide}#${anchor}`} target="_blank" rel="noopener" size="sm" underline="always" {...alone}>
        {text.whole}
      </Anchor>
    </>
  )
}
