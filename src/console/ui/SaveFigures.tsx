/** The button that saves figures as a file. */
import { Button } from "@mantine/core"
import type { Cell } from "../app/csv.ts"
import { figuresCsv, fileName } from "../app/csv.ts"
import { saveFile } from "../app/saveFile.ts"
import { rangeStrings as text } from "../app/rangeStrings.ts"

export const SaveFigures = (props: {
  readonly title: string
  /** The first row is the header. */
  readonly rows: () => ReadonlyArray<ReadonlyArray<Cell>>
}) => (
  <Button
    variant="default"
    size="compact-sm"
    aria-label={text.csvOf(props.title)}
    onClick={() => saveFile(fileName(props.title), figuresCsv(props.rows()), "text/csv")}
  >
    {text.csv}
  </Button>
)
