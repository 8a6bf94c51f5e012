/** Makes and uses passkeys. The service sends options, the browser asks the person, and the service checks the answer. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON
} from "@simplewebauthn/browser"
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from "@simplewebauthn/browser"
import { Passkeys } from "../../contract/admin/Passkeys.ts"
import { call, client, Worded } from "../shared/client.ts"
import type { SignedIn } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

const admin = client(Passkeys)

const text = staffStrings.passkey

/** A browser's error in words. Browsers do not tell a cancelled question from a passkey that is absent. */
const reasonOf = (error: unknown, notAllowed: string, host: string | undefined): string => {
  switch (error instanceof Error ? error.name : "") {
    case "NotAllowedError":
    case "AbortError":
      return notAllowed
    case "SecurityError":
      return text.wrongHost(location.hostname, host ?? "")
    case "InvalidStateError":
      return text.known
    case "ConstraintError":
    case "NotSupportedError":
      return text.unable
    default:
      return text.failed
  }
}

const asked = async <A>(ask: () => Promise<A>, notAllowed: string, host: string | undefined): Promise<A> => {
  if (!browserSupportsWebAuthn())
    throw new Worded(window.isSecureContext ? text.unsupported : text.insecure(location.hostname))
  try {
    return await ask()
  } catch (error) {
    throw new Worded(reasonOf(error, notAllowed, host))
  }
}

/** Signs in with any passkey of this service that the person chooses. */
export const signInWithPasskey = async (): Promise<SignedIn> => {
  const { options } = await call(admin.passkeys.signInOptions())
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  const credential = await asked(() => startAuthentication({ optionsJSON }), text.notUsed, optionsJSON.rpId)
  return call(admin.passkeys.signInWithPasskey({ payload: { credential } }))
}

/** Makes a passkey by the service's options. Returns the credential, for the service to check and store. */
export const makePasskey = (options: unknown): Promise<unknown> => {
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  return asked(() => startRegistration({ optionsJSON }), text.notMade, optionsJSON.rp.id)
}
