/** The programme's looks: its colour where that can be read, its name, its icon. */
import { accentOf, edgeOf, inkOn } from "../contract/Contrast.ts"
import type { PageFacts } from "./wire.ts"

const link = (rel: string, href: string): void => {
  const element = document.createElement("link")
  element.rel = rel
  element.href = href
  document.head.append(element)
}

export const dress = ({ colour, logo_url, name, program_id }: PageFacts): void => {
  document.title = name
  const { style } = document.documentElement
  style.setProperty("--brand", colour)
  style.setProperty("--on-brand", inkOn(colour))
  for (const scheme of ["light", "dark"] as const) {
    style.setProperty(`--accent-${scheme}`, accentOf(colour, scheme))
    style.setProperty(`--edge-${scheme}`, edgeOf(colour, scheme))
  }
  const base = `/my/${program_id}`
  link("manifest", `${base}/manifest.webmanifest`)
  link("icon", `${base}/icon.svg`)
  if (logo_url !== undefined) link("apple-touch-icon", logo_url)
  const theme = document.createElement("meta")
  theme.name = "theme-color"
  theme.content = colour
  document.head.append(theme)
}
