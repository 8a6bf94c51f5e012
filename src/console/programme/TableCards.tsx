/** Cards for tables, whose code leads to joining at one restaurant. The code is drawn here: no other service knows of it. */
import { Button, Group, NativeSelect, Stack } from "@mantine/core"
import { useState } from "react"
import { createPortal } from "react-dom"
import type { GuestPage } from "../../contract/ProgramFile.ts"
import { guestPageStrings } from "../shared/guestPageStrings.ts"
import { useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { drawn, QrCode } from "../shared/QrCode.tsx"
import { saveFile } from "../shared/spreadsheets/saveFile.ts"
import { guestWords } from "./guestWords.ts"
import "./tableCards.css"

const text = guestPageStrings.table

/** The code as a file for printers: vectors, in black on white. */
const svgOf = ({ path, size }: ReturnType<typeof drawn>): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="1024" height="1024" shape-rendering="crispEdges">` +
  `<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`

interface CardsProps {
  readonly id: string
  readonly name: string
  /** The language of the card: the page's first. */
  readonly language: GuestPage["languages"][number]
}

export const TableCards = ({ id, language, name }: CardsProps) => {
  const places = useOpenLocations()
  const [place, setPlace] = useState("")
  const at = place === "" ? "" : `?at=${encodeURIComponent(place)}`
  const address = `${location.origin}/join/${encodeURIComponent(id)}${at}`
  const code = drawn(address)
  const placeName = places.find(({ location_id }) => location_id === place)?.name ?? place
  const card = (
    <div className="table-card">
      <p className="table-name">{name}</p>
      <p>
        <bdi lang={language}>{guestWords[language].scan}</bdi>
      </p>
      <QrCode label={text.code} {...code} />
      <p>
        <bdi lang={language}>{guestWords[language].how}</bdi>
      </p>
      <p className="table-address">{address}</p>
      {placeName === "" ? undefined : <p>{placeName}</p>}
    </div>
  )
  return (
    <Panel title={text.title}>
      <Stack gap="sm">
        <Note>{text.hint}</Note>
        <NativeSelect
          label={text.place}
          value={place}
          data={[
            { value: "", label: text.anywhere },
            ...places.map(({ location_id, name: known = location_id }) => ({ value: location_id, label: known }))
          ]}
          onChange={({ currentTarget }) => setPlace(currentTarget.value)}
        />
        {card}
        {createPortal(
          <div className="printed-card" aria-hidden="true">
            {card}
          </div>,
          document.body
        )}
        <Group gap="sm">
          <Button variant="default" onClick={() => window.print()}>
            {text.print}
          </Button>
          <Button
            variant="default"
            onClick={() => saveFile(`join-${id}${place === "" ? "" : `-${place}`}.svg`, svgOf(code), "image/svg+xml")}
          >
            {text.save}
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
