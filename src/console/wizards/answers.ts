/** Answers to the questions of wizards: as they are typed, and whether they are complete. Pure. */
import type { OnEntry, Weekday } from "../programme/occasions.ts"
import { amountOf } from "../shared/amounts.ts"
import { number } from "../shared/format.ts"
import { wizardStrings as text } from "./wizardStrings.ts"

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

/** A question: the answer that it asks for. `least` and `most`: of numbers, which are whole. */
export type Question =
  | { readonly is: "on" | "reward" | "days" | "hours" | "last" | "total" | "earns" }
  | { readonly is: "number"; readonly name: NumberName; readonly least: number; readonly most?: number }

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

/** Facts that answers are judged by. */
export interface Judged {
  /** Decimals of the programme's currency. */
  readonly digits: number
  /** `YYYY-MM-DD`, in the programme's zone. */
  readonly today: string
}

const numberFault = (value: number | string, least: number, most?: number): string | undefined => {
  if (typeof value === "string" || (Number.isSafeInteger(value) && value >= least && value <= (most ?? value))) return
  return most === undefined ? text.faults.number(number(least)) : text.faults.numberTo(number(least), number(most))
}

/** The message at a question's field; undefined: the answer has no fault, or is none yet. */
export const faultOf = (question: Question, answers: Answers, { digits, today }: Judged): string | undefined => {
  const { from, last, total, until } = answers
  switch (question.is) {
    case "number":
      return numberFault(answers[question.name], question.least, question.most)
    case "hours":
      return from === until ? text.faults.hours : undefined
    case "total":
      return total === "" || (amountOf(total, digits) ?? 0) > 0 ? undefined : text.faults.total(digits, number(digits))
    case "last":
      return last !== "" && last < today ? text.faults.past : undefined
    default:
      return undefined
  }
}

const isGiven = (question: Question, answers: Answers): boolean => {
  const { from, on, until } = answers
  switch (question.is) {
    case "number":
      return answers[question.name] !== ""
    case "on":
      return on.products.length + on.categories.length > 0
    case "hours":
      return from !== "" && until !== ""
    case "total":
    case "reward":
    case "last":
      return answers[question.is] !== ""
    default:
      return true
  }
}

export const isAnswered = (question: Question, answers: Answers, judged: Judged): boolean =>
  isGiven(question, answers) && faultOf(question, answers, judged) === undefined
