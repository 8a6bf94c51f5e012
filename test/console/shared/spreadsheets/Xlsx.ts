/** Reads files for Excel. */
import { strFromU8, unzipSync } from "fflate"

/** The XML of a file's parts with cells, one after the other: the sheet and its texts. */
export const sheetIn = (file: Uint8Array): string =>
  Object.entries(unzipSync(file))
    .filter(([name]) => /sheet1\.xml$|sharedStrings\.xml$/.test(name))
    .map(([, content]) => strFromU8(content))
    .join("\n")

/** The XML of a part of a file. */
export const partIn = (file: Uint8Array, part: string): string => {
  const content = unzipSync(file)[part]
  if (content === undefined) throw new Error(`there is no ${part}`)
  return strFromU8(content)
}
