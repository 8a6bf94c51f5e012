/** Checks a row against the contract, and finds what a spreadsheet has damaged. */
import { Result } from "effect"
import { isObject, strictDecoder } from "../../contract/Decode.ts"
import { callingCodeOf, phoneIn } from "../../contract/Phones.ts"
import { ImportRow } from "../../contract/platform/Imports.ts"

const decodeRow = strictDecoder(ImportRow)

/** A number to which a spreadsheet has shortened a longer one, such as 4.93E+15. */
const shortened = /^\d(?:[.,]\d+)?E\+\d+$/i

const places = ["member_id", "external_id", "phone", "identity"] as const

/** Ids and numbers that a spreadsheet has damaged. As ids they would be taken, those of several guests for one. */
const damaged = (row: object) =>
  places.flatMap((name) => {
    const value: unknown = Reflect.get(row, name)
    const [path, text] =
      name === "identity" && isObject(value) ? [`/${name}/value`, Reflect.get(value, "value")] : [`/${name}`, value]
    return typeof text === "string" && shortened.test(text.trim())
      ? [{ path, message: "has lost digits in a spreadsheet; format the column as text there, and export it again" }]
      : []
  })

/** Checks a row. A telephone number without a country is read with the programme's. */
export const decode = (row: unknown, country: string | undefined): ReturnType<typeof decodeRow> => {
  if (!isObject(row)) return decodeRow(row)
  const faults = damaged(row)
  if (faults.length > 0) return Result.fail(faults)
  const phone: unknown = Reflect.get(row, "phone")
  const read = typeof phone === "string" ? phoneIn(phone, callingCodeOf(country)) : undefined
  return decodeRow(read === undefined ? row : { ...row, phone: read })
}
