/** The clock of a sandbox. */
import { useQuery } from "@tanstack/react-query"
import { common, call, Failure } from "./client.ts"
import { useMay } from "./session.tsx"

/** null on a live service. */
export const useClock = () => {
  const may = useMay()
  return useQuery({
    queryKey: ["clock"],
    enabled: may("admin:read"),
    queryFn: async () => {
      try {
        return await call(common.clock.clock())
      } catch (error) {
        if (error instanceof Failure && error.code === "not_found") return null
        throw error
      }
    }
  })
}
