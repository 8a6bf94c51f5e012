/** The programme of the pages: the one in the address bar (`?program=`), else the first. */

import { queryOptions, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { HttpApiGroup } from "effect/http-api"
import { useState } from "react"
import { listPrograms, showProgram } from "../../contract/admin/ProgramsInForce.ts"
import { call, client } from "./client.ts"
import { pointsOf } from "./points.ts"
import { useMay, useSession } from "./session.tsx"
import { strings } from "./strings.ts"

const admin = client(HttpApiGroup.make("programs").add(listPrograms, showProgram))

/** The list of programmes, if the session may use the operators' surface. */
export const useProgramList = () =>
  useQuery({
    queryKey: ["programs"],
    enabled: useMay()("listPrograms"),
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
  return may("listPrograms") ? undefined : {}
}

const programQuery = (id: string) =>
  queryOptions({
    queryKey: ["program", id],
    queryFn: () => call(admin.programs.showProgram({ params: { program_id: id } }))
  })

/** The definition in force. */
export const useProgram = () => {
  const id = useProgramId()
  const may = useMay()
  return useQuery({ ...programQuery(id ?? ""), enabled: id !== undefined && may("showProgram") })
}

/** Names of tiers, rewards, accounts and programmes. The id if there is no name or the programme cannot be read. */
export const useNames = (): {
  readonly tier: (id: string | undefined) => string
  readonly reward: (id: string) => string
  readonly unit: (unit: string) => string
  /** An amount with its account's name. */
  readonly amount: (amount: number, unit: string) => string
  readonly program: (id: string) => string
} => {
  const program = useProgram().data?.program
  const programs = useProgramList().data
  const labelOf = (unit: string) => program?.accounts?.find((one) => one.unit === unit)?.unit_label ?? unit
  return {
    tier: (id = "") => program?.tiers?.find(({ tier_id }) => tier_id === id)?.name ?? id,
    reward: (id) => program?.rewards?.find(({ reward_id }) => reward_id === id)?.name ?? id,
    unit: (unit) => strings.values.unit(labelOf(unit)),
    amount: (amount, unit) => pointsOf({ amount, unit_label: labelOf(unit), unit }),
    program: (id) => programs?.find(({ program_id }) => program_id === id)?.name ?? id
  }
}

/** Time for which the figures are fresh enough for choices and for the zone, ms. */
const figuresStaleMs = 300_000

/** The figures of the last 30 days. They describe the programme even to sessions that may not read it. */
export const useFigures = (isNeeded: boolean) => {
  const program = useProgramQuery()
  return useQuery({
    queryKey: ["figures", program],
    enabled: isNeeded && program !== undefined,
    staleTime: figuresStaleMs,
    queryFn: async () => (await import("./figures.ts")).figures(program ?? {})
  })
}

const useZoneFigures = () => {
  const may = useMay()
  return useFigures(!may("showProgram") && may("analytics"))
}

/** The zone of the page's times: the programme's, by default that of the tier policy, else UTC. */
export const useZone = (): string => {
  const figures = useZoneFigures().data
  const program = useProgram().data?.program
  return program?.time_zone ?? program?.tier_policy?.period.time_zone ?? figures?.range.time_zone ?? "UTC"
}

/**
 * True once the zone is known, or cannot be known. Forms with an initial zone wait for it. Invariant: never becomes false
 * again, also during a refetch, because the form's input would be lost.
 */
export const useIsZoneKnown = (): boolean => {
  const may = useMay()
  const id = useProgramId()
  const list = useProgramList()
  const program = useProgram()
  const figures = useZoneFigures()
  const isKnown = may("showProgram")
    ? program.isFetched || (list.isFetched && id === undefined)
    : !may("analytics") || figures.isFetched
  const [wasKnown, setWasKnown] = useState(isKnown)
  if (isKnown && !wasKnown) setWasKnown(true)
  return wasKnown || isKnown
}
