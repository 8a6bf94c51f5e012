/** Flags of commands that limit tokens and people to restaurants (contract/people.md *Limited to restaurants*). */
import { Flag } from "effect/cli"
import { type GivenLimits, limitNames, limitsIn, type RestaurantLimits } from "../../contract/RestaurantLimits.ts"

const repeated = (name: string, description: string) =>
  Flag.atLeast(Flag.withDescription(Flag.String(name), description), 0)

/** `whom`: the limited one, as a subject of the descriptions. */
export const limitFlags = (whom: string) => ({
  location: repeated("location", `a location id that limits ${whom}; repeat it for each (all)`),
  franchisee: repeated("franchisee", `a franchisee id, whose restaurants limit ${whom}; repeat it for each (all)`),
  brand: repeated("brand", `a brand id, whose restaurants limit ${whom}; repeat it for each (all)`)
})

interface Flags {
  readonly location: ReadonlyArray<string>
  readonly franchisee: ReadonlyArray<string>
  readonly brand: ReadonlyArray<string>
}

const asked = (ids: ReadonlyArray<string>) => (ids.length === 0 ? undefined : [...new Set(ids)])

/** The limits that flags give; without any, none. */
export const limitsOf = ({ brand, franchisee, location }: Flags): GivenLimits =>
  limitsIn({ location_ids: asked(location), franchisee_ids: asked(franchisee), brand_ids: asked(brand) }) ?? {}

/** The limits in words for a line, one item each; without limits, none. */
export const described = (limits: RestaurantLimits): ReadonlyArray<string> =>
  limitNames.flatMap((name) => {
    const ids = limits[name]
    return ids === undefined ? [] : [`${name.replace("_ids", "s")} ${ids.join(",")}`]
  })
