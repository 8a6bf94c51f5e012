/**
 * Sentences of the service, kept apart from what it puts into them: who tells them in another language looks the template up and
 * puts the values into its own (contract/transport.md *Problems*).
 */

/** A sentence with `{1}`, `{2}` and so on in the places of its values. */
export interface Template {
  readonly text: string
  readonly values: ReadonlyArray<string | number>
}

/** A finished sentence with its template. */
export interface Said {
  readonly message: string
  readonly template: Template
}

/** A sentence; without a template it has no values. */
export type Sentence = string | Said

/** A number that is written with separators: `10,000`. */
interface Grouped {
  readonly value: number
  readonly shown: string
}

export const grouped = (value: number): Grouped => ({ value, shown: value.toLocaleString("en") })

/** A sentence with values: said`Programme ${id} has no logo.` */
export const said = (parts: TemplateStringsArray, ...values: ReadonlyArray<string | number | Grouped>): Said => {
  const [first = "", ...others] = parts
  let message = first
  let text = first
  for (const [at, value] of values.entries()) {
    const rest = others[at] ?? ""
    message += `${typeof value === "object" ? value.shown : value}${rest}`
    text += `{${at + 1}}${rest}`
  }
  return {
    message,
    template: { text, values: values.map((value) => (typeof value === "object" ? value.value : value)) }
  }
}

const templates = new Map<string, Template>()

/**
 * The same of a message of the contract itself, whose schemas know messages as texts alone. Requires: no value of a caller's, so
 * that there are few.
 */
export const told: (...given: Parameters<typeof said>) => string = (...given) => {
  const { message, template } = said(...given)
  templates.set(message, template)
  return message
}

/** A message of the contract as the sentence that it was. */
export const sentenceOf = (message: string): Sentence => {
  const template = templates.get(message)
  return template === undefined ? message : { message, template }
}

export interface Fault {
  /** JSON Pointer to the invalid, missing or unknown property. */
  readonly path: string
  readonly message: string
  readonly template?: Template
}

export const faultAt = (path: string, sentence: Sentence): Fault =>
  typeof sentence === "string" ? { path, message: sentence } : { path, ...sentence }

/** The members of a problem that tell why. */
export const detailOf = (sentence: Sentence): { readonly detail: string; readonly template?: Template } =>
  typeof sentence === "string" ? { detail: sentence } : { detail: sentence.message, template: sentence.template }
