/** Code 128 (ISO/IEC 15417), which the scanners of tills read. */

/** Widths of bars and spaces of the values 0 to 105. */
const widths = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232"
).split(" ")
const stop = "2331112"
const startOfText = 104
const startOfPairs = 105

/** The values of a text: digits in pairs, other characters one by one; undefined: it has others than ASCII. */
const valuesOf = (text: string): ReadonlyArray<number> | undefined => {
  if (/^(?:\d\d)+$/.test(text)) return [startOfPairs, ...(text.match(/\d\d/g) ?? []).map(Number)]
  if (!/^[ -~]+$/.test(text)) return undefined
  return [startOfText, ...Array.from(text, (one) => one.charCodeAt(0) - 32)]
}

export interface Barcode {
  /** In the width of the narrowest bar. */
  readonly width: number
  readonly bars: ReadonlyArray<{ readonly at: number; readonly width: number }>
}

/** Space beside the code that scanners need. */
const quiet = 10
/** A longer one would be too fine on a telephone. */
const mostCharacters = 40

export const barcodeOf = (text: string): Barcode | undefined => {
  const values = text.length > mostCharacters ? undefined : valuesOf(text)
  if (values === undefined) return undefined
  const check = values.reduce((sum, value, at) => sum + value * Math.max(at, 1), 0) % 103
  const all = [...[...values, check].map((value) => widths[value] ?? ""), stop].join("")
  const bars: Array<Barcode["bars"][number]> = []
  let at = quiet
  Array.from(all, Number).forEach((width, place) => {
    if (place % 2 === 0) bars.push({ at, width })
    at += width
  })
  return { width: at + quiet, bars }
}
