/** Rows that a press on a column's label sorts. */
import { UnstyledButton } from "@mantine/core"
import { useState } from "react"
import { compared } from "./format.ts"

interface Sorted<Row> {
  readonly label: string
  /** Value that the rows are sorted by; undefined comes last. */
  readonly by?: (row: Row) => string | number | undefined
}

interface Order {
  readonly label: string
  readonly isDown: boolean
}

/** The rows in the order of a column; undefined: as they came. */
export const useOrdered = <Row,>(rows: ReadonlyArray<Row>, columns: ReadonlyArray<Sorted<Row>>) => {
  const [order, setOrder] = useState<Order>()
  const by = columns.find(({ label }) => label === order?.label)?.by
  const sign = order?.isDown === true ? -1 : 1
  const ordered =
    by === undefined
      ? rows
      : rows.toSorted((one, other) => {
          const [a, b] = [by(one), by(other)]
          if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
          return sign * compared(a, b)
        })
  /** Up, then down, then as they came. */
  const press = (label: string): void => {
    if (order?.label !== label) setOrder({ label, isDown: false })
    else setOrder(order.isDown ? undefined : { label, isDown: true })
  }
  return { order, ordered, press }
}

/** The label of a column, which sorts by it if it can. */
export const Head = (props: {
  readonly label: string
  readonly isSortable: boolean
  /** Undefined: another column's order, or none. */
  readonly order: Order | undefined
  readonly press: () => void
}) =>
  props.isSortable ? (
    <>
      <UnstyledButton className="sort" fz="inherit" fw="inherit" onClick={props.press}>
        {props.label}{" "}
        <span aria-hidden="true" className="order">
          {props.order === undefined ? "↕" : props.order.isDown ? "↓" : "↑"}
        </span>
      </UnstyledButton>
      <span className="unsorted">{props.label}</span>
    </>
  ) : (
    props.label
  )

/** Tells a screen reader the order of a column. */
export const orderOf = (order: Order | undefined, label: string) =>
  order?.label === label ? { "aria-sort": order.isDown ? ("descending" as const) : ("ascending" as const) } : {}
