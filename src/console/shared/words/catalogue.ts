/** Tells the service's sentences in a part of the catalogue, by their templates. Pure. */
import type { Template } from "../../../contract/Said.ts"

/** A sentence of the service; without a template it has no values. */
export interface Told {
  readonly message: string
  readonly template?: Template | undefined
}

/** Why the service refuses, in its own sentence. */
export interface Why {
  readonly detail: string
  readonly template?: Template | undefined
}

export interface Catalogue {
  readonly knows: (told: Told) => boolean
  /** A sentence in the catalogue's words, or else as it is. `valueOf`: words for a value of the service's. */
  readonly tell: (told: Told, valueOf: (value: string | number) => string) => string
}

/** `strings`: texts by the service's, both with `{1}`, `{2}` for what differs. */
export const catalogueOf = (strings: Readonly<Record<string, string>>): Catalogue => {
  const keyOf = ({ message, template }: Told): string => template?.text ?? message
  return {
    knows: (told) => Object.hasOwn(strings, keyOf(told)),
    tell: (told, valueOf) => {
      const key = keyOf(told)
      if (!Object.hasOwn(strings, key)) return told.message
      const { values = [] } = told.template ?? {}
      return (strings[key] ?? "").replaceAll(/\{(\d)\}/g, (_, place: string) =>
        valueOf(values[Number(place) - 1] ?? "")
      )
    }
  }
}
