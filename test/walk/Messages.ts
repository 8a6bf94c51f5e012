/** Messages between a walk and the service that is walked. */

/** Asks for the functions that have run since it was asked before. */
export type ToInspected = "taken"

/** A function that has run. */
export interface FunctionAt {
  /** Of its file. */
  readonly url: string
  /** Empty for a function without a name. */
  readonly name: string
  /** Its place in the file, characters. */
  readonly start: number
}
