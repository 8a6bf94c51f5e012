/** The restaurants by name. Apart from the first page: few pages show them. */
import { useQuery } from "@tanstack/react-query"
import type { Location } from "../../contract/admin/Locations.ts"
import { Locations as LocationGroup } from "../../contract/admin/Locations.ts"
import { call, client } from "./client.ts"
import { useProgramId } from "./program.tsx"
import { useMay } from "./session.tsx"

const admin = client(LocationGroup)

export const useLocationList = () => {
  const program_id = useProgramId()
  const may = useMay()
  return useQuery({
    queryKey: ["locations", program_id],
    enabled: may("listLocations"),
    queryFn: () => call(admin.locations.listLocations({ query: program_id === undefined ? {} : { program_id } }))
  })
}

/** Those that are not closed for good: what people choose from. */
export const useOpenLocations = (): ReadonlyArray<Location> =>
  (useLocationList().data?.locations ?? []).filter(({ closed }) => closed !== true)

/** The name of a location, or its id where nobody has named it. */
export const useLocationName = (): ((id: string) => string) => {
  const known = useLocationList().data?.locations ?? []
  const names = new Map(known.map(({ location_id, name }) => [location_id, name]))
  return (id) => names.get(id) ?? id
}

export const nameLocation = (payload: Parameters<typeof admin.locations.putLocation>[0]["payload"]) =>
  admin.locations.putLocation({ payload })

export type { Location }
