/** A place that breaks a rule. `rule` is its name in `counts.json`. */
export interface Finding {
  readonly rule: string
  /** File, and line where there is one. */
  readonly place: string
  readonly text: string
}
