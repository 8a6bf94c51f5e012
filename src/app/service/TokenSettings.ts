/** The tokens of the environment (contract/configuration.md *Variables*). */
import { Result, Schema } from "effect"
import { strictDecoder } from "../../contract/Decode.ts"
import { scopes } from "../../contract/Scopes.ts"
import { Identifier } from "../../contract/Values.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import type { TokenGrant } from "../../desk/access/Keys.ts"

/** Records store this name as their actor. */
const TokenName = Schema.String.check(
  Schema.isPattern(/^[^\p{C}]{1,128}$/u, { message: "must be 1 to 128 printable characters" })
)

const Tokens = strictDecoder(
  Schema.Array(
    Schema.Struct({
      token_sha256: Schema.String.check(
        Schema.isPattern(/^[0-9a-f]{64}$/i, { message: "must be 64 hexadecimal digits" })
      ),
      scopes: Schema.NonEmptyArray(Schema.Literals(scopes)),
      programs: Schema.optionalKey(Schema.Array(Identifier)),
      name: Schema.optionalKey(TokenName)
    })
  )
)

/** Reads them, and tells each fault. */
export const read = (text: string | undefined, fault: (message: string) => void): ReadonlyArray<TokenGrant> => {
  if (text === undefined) return []
  if (firstFault(text) !== undefined) {
    fault("must be a JSON list, without a name twice in one object")
    return []
  }
  const decoded = Tokens(JSON.parse(text))
  if (Result.isSuccess(decoded)) return decoded.success
  for (const { message, path: place } of decoded.failure) fault(`${place} ${message}`)
  return []
}
