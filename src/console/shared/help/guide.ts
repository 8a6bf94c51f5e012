/** The owner's guide: one section of a page that the service has already written as HTML. */
import { Worded } from "../client.ts"
import { helpStrings } from "./helpStrings.ts"

/** A section of a guide. */
export interface Found {
  readonly title: string
  /** The guide's own HTML, with links that open beside the console. */
  readonly html: string
}

/** The section with an anchor, up to the next heading of its rank; undefined: there is none. */
const sectionIn = (page: Document, anchor: string): Found | undefined => {
  const heading = page.getElementById(anchor)
  if (heading === null) return undefined
  const parts: Array<string> = []
  for (let at = heading.nextElementSibling; at !== null && at.tagName !== heading.tagName; at = at.nextElementSibling) {
    for (const link of at.querySelectorAll("a")) {
      link.target = "_blank"
      link.rel = "noopener"
      // Escape there closes the help, and not the dialog around it.
      link.dataset["mantineStopPropagation"] = "true"
    }
    parts.push(at.outerHTML)
  }
  return { title: heading.textContent, html: parts.join("") }
}

/** Reads a section. Fails in words if the guide does not come or lacks it. */
export const readSection = async (anchor: string): Promise<Found> => {
  const answer = await fetch(helpStrings.guide)
  const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html")
  const found = sectionIn(page, anchor)
  if (found === undefined) throw new Worded(helpStrings.missing)
  return found
}
