/**
 * Which colours can be read on which (WCAG 2.2, 1.4.3 and 1.4.11). The guests' page and the console's picture of it
 * share these rules (contract/programmes.md *The guests' page*).
 */

/** The backgrounds of the guests' page, the nearest to the ink first. */
export const pageSurfaces = { light: ["#f4f5f6", "#ffffff"], dark: ["#22272b", "#14171a"] } as const
/** The ink on them. */
export const pageInk = { light: "#1b1f22", dark: "#eef0f2" } as const

const textRatio = 4.5
const shapeRatio = 3

/** Relative luminance of `#rrggbb`, 0 to 1. */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours `#rrggbb`, 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Black or white, whichever is read better on a colour: at least 4.5:1 on every one. */
export const inkOn = (colour: string): "#000000" | "#ffffff" =>
  contrast(colour, "#000000") > contrast(colour, "#ffffff") ? "#000000" : "#ffffff"

const holds = (colour: string, scheme: keyof typeof pageSurfaces, ratio: number): boolean =>
  pageSurfaces[scheme].every((surface) => contrast(colour, surface) >= ratio)

/** The colour of links and marks: the programme's where it can be read, else the ink. */
export const accentOf = (colour: string, scheme: keyof typeof pageSurfaces): string =>
  holds(colour, scheme, textRatio) ? colour : pageInk[scheme]

/** The edge of what is filled with the colour: the ink where the colour does not stand out. */
export const edgeOf = (colour: string, scheme: keyof typeof pageSurfaces): string =>
  holds(colour, scheme, shapeRatio) ? colour : pageInk[scheme]
