/** Events of a simulation, as values. `lineOf` is for people: no test searches its text. */
import type { Verdict } from "../../src/core/journal/GroupCommit.ts"
import type { OperatorCommand } from "../model/Operator.ts"

/** A status or a refusal's code as the caller got it; undefined: no definite answer. */
type Told = string | number | undefined

/** Fate of a group of records on its way to the tables. `records`: `account/seq` of each. */
type GroupEvent =
  | { readonly _tag: "Written"; readonly records: string; readonly verdicts: ReadonlyArray<Verdict["_tag"]> }
  | { readonly _tag: "Unsent"; readonly records: string }
  | { readonly _tag: "InDoubt"; readonly records: string; readonly fate: "written" | "not written" | "may land later" }
  | { readonly _tag: "NeverLanded"; readonly records: string }

type SpanEvent =
  | { readonly _tag: "SpanBegan" | "SpanSealed" | "SpanArchived" | "SpanRestored" | "KeysEnded"; readonly span: number }
  /** A record that lies in a file was needed: by a service with the folder, or without it. A sealed state was read. */
  | { readonly _tag: "ReadOutOfFile" | "Refused" | "SealRead" }

export type Event =
  | GroupEvent
  | { readonly _tag: "Started" | "Killed" | "Stopped" | "Continued" | "Left"; readonly node: string }
  | { readonly _tag: "Published"; readonly version: number }
  | {
      readonly _tag: "Asked"
      readonly member: string
      readonly operation: string
      readonly key: string
      readonly node: string
      readonly told: Told
    }
  | {
      readonly _tag: "Operated"
      readonly member: string
      readonly command: OperatorCommand
      readonly node: string
      readonly told: Told
    }
  | {
      readonly _tag: "MergeAsked"
      readonly from: string
      readonly into: string
      readonly node: string
      readonly told: Told
    }
  | { readonly _tag: "Merged"; readonly from: string; readonly into: string }
  | SpanEvent

export interface Traced {
  /** ms */
  readonly at: number
  readonly event: Event
}

export type Tell = (event: Event) => void

const toldText = (told: Told): string => String(told ?? "no definite answer")

const textOf = (event: Event): string => {
  switch (event._tag) {
    case "Written":
      return `  ${event.records}: ${event.verdicts.join(" ")}`
    case "Unsent":
      return `  ${event.records}: never sent`
    case "InDoubt":
      return `  ${event.records}: in doubt, ${event.fate}`
    case "NeverLanded":
      return `  ${event.records}: never landed`
    case "Started":
      return `${event.node} starts`
    case "Killed":
      return `${event.node} is killed`
    case "Stopped":
      return `${event.node} stands still`
    case "Continued":
      return `${event.node} goes on`
    case "Left":
      return `${event.node} leaves`
    case "Published":
      return `version ${event.version} is published`
    case "Asked":
      return `${event.member} ${event.operation} ${event.key} at ${event.node}: ${toldText(event.told)}`
    case "Operated":
      return `${event.member} ${JSON.stringify(event.command)} at ${event.node}: ${toldText(event.told)}`
    case "MergeAsked":
      return `${event.from} into ${event.into} at ${event.node}: ${toldText(event.told)}`
    case "SpanBegan":
      return `span ${event.span} begins`
    case "SpanSealed":
      return `span ${event.span} is sealed`
    case "KeysEnded":
      return `keys of span ${event.span} end`
    case "SpanArchived":
      return `span ${event.span} goes into a file`
    case "SpanRestored":
      return `span ${event.span} comes back`
    case "ReadOutOfFile":
      return "  archived records are read out of a file"
    case "Refused":
      return "  archived records are refused"
    case "SealRead":
      return "  an account is opened from its sealed state"
    case "Merged":
      return `${event.from} was merged into ${event.into}`
  }
}

/** A line of the trace for people. */
export const lineOf = ({ at, event }: Traced): string => `${new Date(at).toISOString()} ${textOf(event)}`
