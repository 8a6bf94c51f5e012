import { useQueryClient } from "@tanstack/react-query"

/** Refetches the queries whose keys begin with one of the names. Without names: everything but the session. */
export const useRefresh = (...names: ReadonlyArray<string>): (() => void) => {
  const queries = useQueryClient()
  const isMeant = (name: unknown): boolean =>
    names.length === 0 ? name !== "session" : names.some((one) => one === name)
  return () => void queries.invalidateQueries({ predicate: ({ queryKey }) => isMeant(queryKey[0]) })
}
