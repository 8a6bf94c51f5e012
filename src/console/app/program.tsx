/** The programme that the pages are about: the address says which (`?program=`), else it is the first. */
import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { admin, call } from "./client.ts"

export const useProgramList = () =>
  useQuery({
    queryKey: ["programs"],
    queryFn: async () => (await call(admin.programs.listPrograms({ query: { limit: "200" } }))).programs
  })

/** The programme's id; undefined until the list is there, or where there is none. */
export const useProgramId = (): string | undefined => {
  const { program } = useSearch({ from: "__root__" })
  const { data } = useProgramList()
  return program ?? data?.[0]?.program_id
}

/** The definition in force. */
export const useProgram = () => {
  const id = useProgramId()
  return useQuery({
    queryKey: ["program", id],
    enabled: id !== undefined,
    queryFn: () => call(admin.programs.showProgram({ params: { program_id: id ?? "" } }))
  })
}

/** The zone of the programme's tier policy, else UTC: every time of a page is in it. */
export const useZone = (): string => useProgram().data?.program.tier_policy?.period.time_zone ?? "UTC"
