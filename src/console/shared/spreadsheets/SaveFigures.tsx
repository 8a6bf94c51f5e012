/** The buttons that save figures as a file. */
import { Button, Group } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { rangeStrings as text } from "../figures/rangeStrings.ts"
import { useZone } from "../program.tsx"
import { sentenceOf } from "../States.tsx"
import { tell } from "../told.ts"
import type { About, Cell, Separators } from "./csv.ts"
import { figuresCsv, fileName, titleOf, withFacts } from "./csv.ts"
import { fileStrings } from "./fileStrings.ts"
import { readers } from "./readers.ts"
import { saveFile } from "./saveFile.ts"

/** Leaves out the restaurants where the figures have a column of that name. */
const factsOf = ({ from, location, program, to }: About, header: ReadonlyArray<Cell> = []) =>
  (
    [
      [text.program, program],
      [text.restaurant, location ?? text.everywhere],
      [text.from, from],
      [text.to, to]
    ] as const
  ).filter(([name]) => !header.includes(name))

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
  const zone = useZone()
  const nameOf = (ending: "csv" | "xlsx", separators?: Separators) => {
    const name = separators === undefined ? (file ?? title) : `${file ?? title} ${fileStrings.localFile}`
    return fileName(about === undefined ? name : titleOf(name, about), ending)
  }
  const cells = () => {
    const tables = [rows(), more?.() ?? []].filter(({ length }) => length > 0)
    return withFacts(tables, about === undefined ? [] : factsOf(about, tables[0]?.[0]))
  }
  const saveCsv = (separators?: Separators) =>
    saveFile(nameOf("csv", separators), figuresCsv(cells(), separators), "text/csv")
  const excel = useMutation({
    mutationFn: async () => {
      const [{ saveExcel }, { figuresSheet }] = await Promise.all([import("./saveExcel.ts"), import("./sheet.ts")])
      await saveExcel(nameOf("xlsx"), figuresSheet(cells(), zone))
    },
    onError: (error) => tell(sentenceOf(error))
  })
  const common = { variant: "default", size: "compact-sm" } as const
  return (
    <Group gap="xs">
      <Button {...common} aria-label={fileStrings.csvOf(title)} onClick={() => saveCsv()}>
        {fileStrings.csv}
      </Button>
      {readers === undefined ? undefined : (
        <Button {...common} aria-label={fileStrings.localOf(title)} onClick={() => saveCsv(readers)}>
          {fileStrings.local}
        </Button>
      )}
      <Button
        {...common}
        aria-label={fileStrings.excelOf(title)}
        loading={excel.isPending}
        onClick={() => excel.mutate()}
      >
        {fileStrings.excel}
      </Button>
    </Group>
  )
}
