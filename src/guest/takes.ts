/** The key by which a reward is taken, kept in this tab until the service has said what became of it. */
import { newKey, Refusal } from "./api.ts"

/** True if a failure says that nothing was taken. After others the request may still have been carried out. */
const isFinal = (error: unknown): boolean => error instanceof Refusal && error.status < 500 && error.status !== 429

export interface Taking {
  /** True if a request was sent and no answer says what became of it. */
  readonly isInDoubt: () => boolean
  /** Sends with the key of the request in doubt, so that points are taken once; else with a new one. */
  readonly send: <A>(request: (key: string) => Promise<A>) => Promise<A>
}

export const takingOf = (programId: string, rewardId: string): Taking => {
  const name = `take ${programId} ${rewardId}`
  return {
    isInDoubt: () => sessionStorage.getItem(name) !== null,
    send: async (request) => {
      const key = sessionStorage.getItem(name) ?? newKey()
      sessionStorage.setItem(name, key)
      try {
        const answer = await request(key)
        sessionStorage.removeItem(name)
        return answer
      } catch (error) {
        if (isFinal(error)) sessionStorage.removeItem(name)
        throw error
      }
    }
  }
}
