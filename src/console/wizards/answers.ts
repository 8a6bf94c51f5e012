/** Answers to the questions of wizards: as they are typed, and whether they are complete. Pure. */
import type { OnEntry, Weekday } from "../programme/occasions.ts"
import { amountOf } from "../shared/amounts.ts"

/** Every answer that a wizard may ask for. Each wizard uses three. */
export interface Answers {
  readonly on: OnEntry
  readonly reward: string
  readonly days: ReadonlyArray<Weekday>
  /** `HH:mm`. */
  readonly from: string
  readonly until: string
  /** `YYYY-MM-DD`. */
  readonly last: string
  /** Money, as it is typed. */
  readonly total: string
  readonly earns: "nothing" | "most"
  readonly stamps: number | string
  readonly times: number | string
  readonly points: number | string
  readonly perDay: number | string
  readonly ahead: number | string
  readonly usable: number | string
  readonly away: number | string
  readonly orders: number | string
  readonly delay: number | string
  readonly most: number | string
}

type NumberName = {
  [Name in keyof Answers]: number extends Answers[Name] ? Name : never
}[keyof Answers]

/** A question: the answer that it asks for. `least`: of numbers, which are whole. */
export type Question =
  | { readonly is: "on" | "reward" | "days" | "hours" | "last" | "total" | "earns" }
  | { readonly is: "number"; readonly name: NumberName; readonly least: number }

export const noAnswers: Answers = {
  on: { products: [], categories: [] },
  reward: "",
  days: [],
  from: "15:00",
  until: "17:00",
  last: "",
  total: "",
  earns: "nothing",
  stamps: 10,
  times: 2,
  points: "",
  perDay: 5,
  ahead: 6,
  usable: 14,
  away: 60,
  orders: 3,
  delay: 14,
  most: 5
}

export const isNumber = (value: number | string, least: number): boolean =>
  value !== "" && Number.isSafeInteger(Number(value)) && Number(value) >= least

/** `digits`: decimals of the programme's currency. */
export const isAnswered = (question: Question, answers: Answers, digits: number): boolean => {
  const { from, on, until } = answers
  switch (question.is) {
    case "number":
      return isNumber(answers[question.name], question.least)
    case "on":
      return on.products.length + on.categories.length > 0
    case "hours":
      return from !== "" && until !== "" && from !== until
    case "total":
      return (amountOf(answers.total, digits) ?? 0) > 0
    case "reward":
    case "last":
      return answers[question.is] !== ""
    default:
      return true
  }
}
