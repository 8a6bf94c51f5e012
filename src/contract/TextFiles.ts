/** Files of text as spreadsheets and other systems save them: encodings and separators. Pure. */

/** Encodings in which spreadsheets save CSV, as `TextDecoder` names them. */
export const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const
export type Encoding = (typeof encodings)[number]

export const separators = [",", ";", "\t"] as const
export type Separator = (typeof separators)[number]

/** The encoding that the mark at the beginning of a file tells; undefined: it has none of UTF-16. */
export const markedEncoding = ([first, second]: Iterable<number>): Encoding | undefined =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined

/** Every sequence of bytes is text in Windows-1252; what is no text, such as a workbook, has control characters. */
export const isText = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell what is no text
  !/[\u0000-\u0008\u000e-\u001f]/.test(text)

/** The separator that the first line with text has most often, outside quotation marks. */
export const separatorOf = (text: string): Separator => {
  const line = /^.*\S.*$/m.exec(text)?.[0].replaceAll(/"[^"]*"/g, "") ?? ""
  const times = (separator: Separator): number => line.split(separator).length
  return separators.reduce((most, one) => (times(one) > times(most) ? one : most))
}
