/** The sample order on which a draft of the programme is tried. Pure. */
import type { Channel } from "../../contract/Values.ts"

export interface Sample {
  readonly amount: number | string
  readonly channel: Channel
  /** A product and its place of sale. Empty: it does not matter. */
  readonly sold: { readonly product: string; readonly category: string; readonly location: string }
  /** The new guest's tier. Empty: the lowest. */
  readonly chosen: string
  /** When it is placed, in the programme's zone; undefined: now. */
  readonly local: string | undefined
}

export const firstSample: Sample = {
  amount: 25,
  channel: "counter",
  sold: { product: "", category: "", location: "" },
  chosen: "",
  local: undefined
}
