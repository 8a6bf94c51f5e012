/** The button that saves figures as a file. */
import { Button } from "@mantine/core"
import type { About, Cell } from "../app/csv.ts"
import { figuresCsv, fileName, titleOf, withFacts } from "../app/csv.ts"
import { rangeStrings as text } from "../app/rangeStrings.ts"
import { saveFile } from "../app/saveFile.ts"

const factsOf = ({ from, location, program, to }: About) =>
  [
    [text.program, program],
    [text.restaurant, location ?? text.everywhere],
    [text.from, from],
    [text.to, to]
  ] as const

export const SaveFigures = (props: {
  readonly title: string
  /** Name of the file in place of the title. */
  readonly file?: string
  /** Subject of the figures. Absent: there is none that the file must tell. */
  readonly about?: About | undefined
  /** The first row is the header. */
  readonly rows: () => ReadonlyArray<ReadonlyArray<Cell>>
  /** A table below, with a header too. */
  readonly more?: () => ReadonlyArray<ReadonlyArray<Cell>>
}) => {
  const { about, file, more, rows, title } = props
  const save = () => {
    const tables = [rows(), more?.() ?? []].filter(({ length }) => length > 0)
    const name = file ?? title
    saveFile(
      fileName(about === undefined ? name : titleOf(name, about)),
      figuresCsv(withFacts(tables, about === undefined ? [] : factsOf(about))),
      "text/csv"
    )
  }
  return (
    <Button variant="default" size="compact-sm" aria-label={text.csvOf(title)} onClick={save}>
      {text.csv}
    </Button>
  )
}
