/** Signing in at the company's own provider: its page is another site's, and leads back to the page `signed-in`. */
import { Passkeys } from "../../contract/admin/Passkeys.ts"
import { call, client } from "../shared/client.ts"
import type { SignedIn } from "../shared/session.tsx"

const admin = client(Passkeys)

/** Leaves the console for the provider's page. */
export const beginAtProvider = async (): Promise<void> => {
  const { url } = await call(admin.passkeys.beginAtProvider())
  location.assign(url)
}

/** Opens a session with the query of the address that the provider has led to. */
export const finishAtProvider = (query: string): Promise<SignedIn> =>
  call(admin.passkeys.finishAtProvider({ payload: { query } }))
