/** A small picture of the guests' page in a programme's colour, light and dark, by the page's own rules. */
import { SimpleGrid } from "@mantine/core"
import { accentOf, edgeOf, inkOn, pageInk, pageSurfaces } from "../../contract/Contrast.ts"
import type { GuestPage } from "../../contract/ProgramFile.ts"
import { guestPageStrings as text } from "../shared/guestPageStrings.ts"
import { guestWords } from "./guestWords.ts"

const isColour = (colour: string): boolean => /^#[0-9a-f]{6}$/i.test(colour)

interface PictureProps {
  readonly name: string
  readonly colour: string
  readonly language: GuestPage["languages"][number]
  /** Address of the logo's picture; undefined: there is none. */
  readonly logo: string | undefined
}

const Picture = ({ colour, language, logo, name, scheme }: PictureProps & { readonly scheme: "light" | "dark" }) => {
  // As the page: cards lie on the ground.
  const [first, second] = pageSurfaces[scheme]
  const [ground, card] = scheme === "light" ? [first, second] : [second, first]
  return (
    <figure
      aria-label={text.picture(text.schemes[scheme])}
      style={{ margin: 0, border: "1px solid #8a9299", borderRadius: 12, overflow: "hidden", background: ground }}
    >
      <div
        style={{
          background: colour,
          color: inkOn(colour),
          padding: "8px 12px",
          fontWeight: 700,
          overflowWrap: "anywhere"
        }}
      >
        {logo === undefined ? undefined : (
          <img src={logo} alt="" style={{ maxHeight: 28, maxWidth: "40%", marginRight: 8, verticalAlign: "middle" }} />
        )}
        {name}
      </div>
      <div style={{ padding: 12 }}>
        <div style={{ background: card, color: pageInk[scheme], borderRadius: 8, padding: 12 }}>
          <div style={{ fontSize: 22, fontWeight: 700, color: accentOf(colour, scheme) }}>
            <bdi lang={language}>{guestWords[language].points}</bdi>
          </div>
          <div
            style={{
              marginTop: 8,
              padding: "8px 12px",
              borderRadius: 8,
              textAlign: "center",
              fontWeight: 600,
              background: colour,
              color: inkOn(colour),
              border: `1px solid ${edgeOf(colour, scheme)}`
            }}
          >
            <bdi lang={language}>{guestWords[language].button}</bdi>
          </div>
        </div>
      </div>
    </figure>
  )
}

export const GuestPicture = (props: PictureProps) =>
  isColour(props.colour) ? (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Picture {...props} scheme="light" />
      <Picture {...props} scheme="dark" />
    </SimpleGrid>
  ) : undefined
