/** Query of the sandbox's clock. */
import { useQuery } from "@tanstack/react-query"
import { SandboxClock } from "../../contract/admin/Clock.ts"
import { call, client } from "./client.ts"
import { useMay, useSession } from "./session.tsx"

const admin = client(SandboxClock)

/** Null on a live service, which has none and is not asked. */
export const useClock = () => {
  const may = useMay()
  const isSandbox = useSession().sandbox === true
  return useQuery({
    queryKey: ["clock", isSandbox],
    enabled: isSandbox && may("clock"),
    ...(isSandbox ? {} : { initialData: null }),
    queryFn: () => call(admin.clock.clock())
  })
}

/** The service's time, ms: a sandbox's clock, else the browser's. */
export const useServiceNow = (): number => {
  const clock = useClock().data
  return clock === null || clock === undefined ? Date.now() : Date.parse(clock.now)
}
