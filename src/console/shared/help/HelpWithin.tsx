/** Help within a dialog, above its fields: beside the dialog nothing can be read or reached. Escape closes the help alone. */
import { HelpText } from "./HelpText.tsx"
import type { Section } from "./helpStrings.ts"

export const HelpWithin = (props: {
  readonly section: Section
  readonly title: string
  readonly close: () => void
}) => (
  <section
    className="help within"
    aria-label={props.title}
    onKeyDown={(event) => {
      if (event.key !== "Escape") return
      event.stopPropagation()
      props.close()
    }}
  >
    <HelpText {...props} />
  </section>
)
