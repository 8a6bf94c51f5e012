/** A button that opens the fitting section of the owner's guide. The guide and its panel are loaded when they are asked for. */
import { ActionIcon } from "@mantine/core"
import { Suspense, useRef, useState } from "react"
import { later } from "../Later.tsx"
import { strings } from "../strings.ts"
import type { Section } from "./helpStrings.ts"

const HelpPanel = later(() => import("./HelpPanel.tsx"), "HelpPanel")
const HelpWithin = later(() => import("./HelpWithin.tsx"), "HelpWithin")

interface HelpProps {
  readonly section: Section
  /** The heading that it stands beside; absent: it is in a dialog, which has a name of its own. */
  readonly of?: string
}

export const Help = ({ of, section }: HelpProps) => {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const title = strings.nav.help(of)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const Shown = of === undefined ? HelpWithin : HelpPanel
  return (
    <>
      <ActionIcon
        ref={button}
        variant="default"
        radius="xl"
        aria-label={title}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        ?
      </ActionIcon>
      {isOpen ? (
        <Suspense>
          <Shown section={section} title={title} close={close} />
        </Suspense>
      ) : undefined}
    </>
  )
}
