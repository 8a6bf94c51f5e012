/** The guest at the counter, in the address bar. */
export interface CounterSearch {
  /** The text that guests were looked for by. */
  readonly find?: string
  /** The id of the guest who was chosen among several. */
  readonly guest?: string
}

export const counterSearch = ({ find, guest }: Record<string, unknown>): CounterSearch => ({
  // A number alone is one in the address bar.
  ...((typeof find === "string" && find !== "") || typeof find === "number" ? { find: String(find) } : {}),
  ...(typeof guest === "string" && guest !== "" ? { guest } : {})
})
