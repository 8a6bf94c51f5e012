/** Query of the sandbox's clock. */
import { useQuery } from "@tanstack/react-query"
import { SandboxClock } from "../../contract/admin/Clock.ts"
import { call, client, Failure } from "./client.ts"
import { useMay } from "./session.tsx"

const admin = client(SandboxClock)

/** Null on a live service. */
export const useClock = () => {
  const may = useMay()
  return useQuery({
    queryKey: ["clock"],
    enabled: may("clock"),
    queryFn: async () => {
      try {
        return await call(admin.clock.clock())
      } catch (error) {
        if (error instanceof Failure && error.code === "not_found") return null
        throw error
      }
    }
  })
}

/** The service's time, ms: a sandbox's clock, else the browser's. */
export const useServiceNow = (): number => {
  const clock = useClock().data
  return clock === null || clock === undefined ? Date.now() : Date.parse(clock.now)
}
