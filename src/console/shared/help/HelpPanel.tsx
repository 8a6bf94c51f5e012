/** Help in a panel beside the page, which stays as it is and can be used meanwhile. Escape closes it. */
import { Portal } from "@mantine/core"
import { HelpText } from "./HelpText.tsx"
import type { Section } from "./helpStrings.ts"

export const HelpPanel = (props: { readonly section: Section; readonly title: string; readonly close: () => void }) => (
  <Portal>
    <aside
      className="help"
      aria-label={props.title}
      onKeyDown={(event) => {
        if (event.key === "Escape") props.close()
      }}
    >
      <HelpText {...props} />
    </aside>
  </Portal>
)
