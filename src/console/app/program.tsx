/** The programme of the pages: the one in the address bar (`?program=`), else the first. */
import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { HttpApiGroup } from "effect/http-api"
import { listPrograms, showProgram } from "../../contract/admin/ProgramsInForce.ts"
import { call, client } from "./client.ts"
import { useMay, useSession } from "./session.tsx"

const admin = client(HttpApiGroup.make("programs").add(listPrograms, showProgram))

/** The list of programmes, if the session may use the operators' surface. */
export const useProgramList = () =>
  useQuery({
    queryKey: ["programs"],
    enabled: useMay()("admin:read"),
    queryFn: async () => (await call(admin.programs.listPrograms({ query: { limit: "200" } }))).programs
  })

/** The programme's id; undefined until the list is loaded, or if there is none. */
export const useProgramId = (): string | undefined => {
  const { program } = useSearch({ from: "__root__" })
  const { data } = useProgramList()
  const { programs } = useSession()
  return program ?? data?.[0]?.program_id ?? programs?.[0]
}

/**
 * The programme as a query of the platform; undefined until it is known. A token with only scopes of the platform
 * names none if it is not limited: the service then takes the only one.
 */
export const useProgramQuery = (): { readonly program_id?: string } | undefined => {
  const id = useProgramId()
  const may = useMay()
  if (id !== undefined) return { program_id: id }
  return may("admin:read") ? undefined : {}
}

/** The definition in force. */
export const useProgram = () => {
  const id = useProgramId()
  const may = useMay()
  return useQuery({
    queryKey: ["program", id],
    enabled: id !== undefined && may("admin:read"),
    queryFn: () => call(admin.programs.showProgram({ params: { program_id: id ?? "" } }))
  })
}

/** The name of a tier, and of a reward; the id where the programme has none of that id or cannot be read. */
export const useNames = (): {
  readonly tier: (id: string | undefined) => string
  readonly reward: (id: string) => string
} => {
  const program = useProgram().data?.program
  return {
    tier: (id = "") => program?.tiers?.find(({ tier_id }) => tier_id === id)?.name ?? id,
    reward: (id) => program?.rewards?.find(({ reward_id }) => reward_id === id)?.name ?? id
  }
}

/** The zone of the programme's tier policy, else UTC: every time of a page is in it. */
export const useZone = (): string => useProgram().data?.program.tier_policy?.period.time_zone ?? "UTC"
