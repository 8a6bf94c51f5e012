/** Asking others for a gift that a limit or a missing right stops. */
import type { NewAsk } from "../../contract/admin/Asks.ts"
import { Asks } from "../../contract/admin/Asks.ts"
import { call, client, Failure } from "../shared/client.ts"
import { useMay, useSession } from "../shared/session.tsx"

export const asksClient = client(Asks)

/** True of a refusal because of a person's limit: somebody else may do it. */
export const isBeyondLimit = (error: unknown): boolean => error instanceof Failure && error.problem?.limit !== undefined

/** Whether a page offers to ask: to people, whom others know. */
export const useMayAsk = (): boolean => {
  const may = useMay()
  return useSession().user !== undefined && may("askManager")
}

export const askFor = (payload: typeof NewAsk.Type) => call(asksClient.asks.askManager({ payload }))
