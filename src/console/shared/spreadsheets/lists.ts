/** Lists of the service as files for spreadsheets, made of their CSV. */
import { Effect, Stream } from "effect"
import { Csv } from "effect/encoding"
import { csvLine } from "../../../contract/Csv.ts"
import { fetchFile } from "../client.ts"
import type { Separators } from "./csv.ts"
import { saveFile } from "./saveFile.ts"

const nameOf = (name: string | undefined, ending: "csv" | "xlsx"): string =>
  `${(name ?? "list.csv").replace(/\.csv$/, "")}.${ending}`

const cellsOf = async (content: Blob): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const text = await content.text()
  const rows = Stream.make(text).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter: "," })),
    Stream.runCollect
  )
  return Effect.runPromise(rows)
}

export const saveListForExcel = async (href: string, zone: string): Promise<void> => {
  const { content, name } = await fetchFile(href)
  const [{ saveExcel }, { listSheet }] = await Promise.all([import("./saveExcel.ts"), import("./sheet.ts")])
  await saveExcel(nameOf(name, "xlsx"), listSheet(await cellsOf(content), zone))
}

export const saveListFor = async (href: string, { cells }: Separators): Promise<void> => {
  const { content, name } = await fetchFile(href)
  const lines = (await cellsOf(content)).map((row) => csvLine(row, cells, /[";\r\n]/))
  // Excel takes a file without a byte order mark for one in the encoding of the machine.
  saveFile(nameOf(name, "csv"), `\uFEFF${lines.join("")}`, "text/csv")
}
