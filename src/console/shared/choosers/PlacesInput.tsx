/** Fields for restaurants, franchisees or brands that offer those that are known. */
import { Autocomplete } from "@mantine/core"
import type { ComponentProps } from "react"
import type { Location } from "../locations.ts"
import { useLocationList } from "../locations.ts"
import { chooserStrings } from "./chooserStrings.ts"
import type { Choice, IdsProps } from "./IdsInput.tsx"
import { IdsInput, scrolling } from "./IdsInput.tsx"

type PlaceKind = "location_ids" | "franchisee_ids" | "brand_ids"

const choicesOf = (of: PlaceKind, locations: ReadonlyArray<Location>): ReadonlyArray<Choice> => {
  if (of === "location_ids") return locations.map(({ address, location_id: id, name }) => ({ id, name, more: address }))
  const ids = locations.flatMap(({ brands = [], franchisees = [] }) =>
    of === "brand_ids" ? brands.map(({ brand_id }) => brand_id) : franchisees.map(({ franchisee_id }) => franchisee_id)
  )
  return [...new Set(ids)].flatMap((id) => (id === undefined ? [] : [{ id }])).sort((a, b) => a.id.localeCompare(b.id))
}

export const PlacesInput = ({ of, ...props }: IdsProps & { readonly of: PlaceKind }) => {
  const { data } = useLocationList()
  const choices = choicesOf(of, data?.locations ?? [])
  return (
    <IdsInput
      {...props}
      choices={choices}
      known={data === undefined ? undefined : choices}
      unknown={chooserStrings.unknown[of]}
    />
  )
}

/** A field for one id, which may be new. */
export const PlaceInput = ({
  of,
  ...props
}: Omit<ComponentProps<typeof Autocomplete>, "data"> & { readonly of: PlaceKind }) => {
  const { data } = useLocationList()
  return <Autocomplete {...scrolling} {...props} data={choicesOf(of, data?.locations ?? []).map(({ id }) => id)} />
}
