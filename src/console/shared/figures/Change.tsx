/** A figure's change in words. */
import type { ReactNode } from "react"
import { number, percent } from "../format.ts"
import { strings } from "../strings.ts"

const text = strings.today

export const Change = (props: {
  readonly before: number | undefined
  readonly now: number
  /** The figure before, where a percentage says nothing. Absent: it is a plain number. */
  readonly told?: ReactNode
}) => {
  const { before, now, told } = props
  if (before === undefined) return <>&nbsp;</>
  if (before === now) return text.same
  if (before === 0) return text.noneBefore
  // A percentage of a negative number says nothing, nor does one of thousands.
  if (before < 0 || now < 0 || now > 10 * before) return told ?? text.numberBefore(number(before))
  // Basis points to whole percent.
  const ratio = percent(Math.round((Math.abs(now - before) / before) * 100) * 100)
  return now > before ? text.more(ratio) : text.less(ratio)
}
