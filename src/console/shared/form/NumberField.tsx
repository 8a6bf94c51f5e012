/** An input of a number. Text stays as it is typed, and text that is no such number keeps the form from being sent. */
import type { TextInputProps } from "@mantine/core"
import { TextInput } from "@mantine/core"
import { useEffect, useRef, useState } from "react"
import { numberOf } from "../amounts.ts"
import { number } from "../format.ts"
import { locales } from "../language.ts"
import { Note } from "../Note.tsx"
import { strings } from "../strings.ts"

const text = strings.form

/** The most decimals that a number is shown with. */
const mostShown = 12

interface Props extends Omit<TextInputProps, "value" | "onChange" | "onBlur" | "type"> {
  /** `NaN`: text that is no number. Any text: nothing. */
  readonly value: number | string
  readonly onChange: (value: number | "") => void
  /** At most. */
  readonly decimals?: number
  /** With all its decimals, as money is. */
  readonly isMoney?: boolean
  /** A short word beside it. */
  readonly unit?: string | undefined
  readonly hasSign?: boolean
}

const kindOf = (value: number | string): "none" | "fault" | "number" =>
  typeof value === "string" ? "none" : Number.isNaN(value) ? "fault" : "number"

/** Opens a part that is folded, in which nobody would see the fault. */
const unfold = (input: HTMLInputElement): void => {
  const folded = input.closest("details")
  if (folded !== null) folded.open = true
}

const writtenOf = (value: number | string, least: number): string =>
  kindOf(value) === "number"
    ? Number(value).toLocaleString([...locales], { minimumFractionDigits: least, maximumFractionDigits: mostShown })
    : ""

const faultWords = (decimals: number): string =>
  decimals === 0 ? text.noWhole : text.noNumber(decimals, number(decimals))

export const NumberField = (props: Props) => {
  const { decimals = 0, error, hasSign = false, isMoney = false, onChange, unit, value, ...rest } = props
  const [typed, setTyped] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const entered = numberOf(typed ?? "", decimals, hasSign)
  const fault = kindOf(value) === "fault" ? faultWords(decimals) : undefined
  useEffect(() => input.current?.setCustomValidity(fault ?? ""), [fault])
  return (
    <TextInput
      {...rest}
      ref={input}
      // Keys of numbers alone have no minus.
      inputMode={hasSign ? "text" : decimals === 0 ? "numeric" : "decimal"}
      {...(unit === undefined ? {} : { rightSection: <Note>{unit}</Note>, rightSectionWidth: 48 })}
      // A value that somebody else has set since replaces the text.
      value={
        typed !== undefined && kindOf(entered) === kindOf(value) ? typed : writtenOf(value, isMoney ? decimals : 0)
      }
      // The form's own words say its bounds too.
      error={typeof error === "string" ? error : (fault ?? error)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(numberOf(currentTarget.value, decimals, hasSign))
      }}
      onBlur={() => {
        if (kindOf(entered) !== "fault") setTyped(undefined)
      }}
      onInvalid={({ currentTarget }) => unfold(currentTarget)}
    />
  )
}
