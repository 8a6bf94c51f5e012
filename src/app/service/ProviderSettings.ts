/** The settings of the company's provider of people: all of them, or none (contract/configuration.md *Variables*). */
import { Redacted, Result, Schema } from "effect"
import type { ProviderOptions } from "../../capabilities/staff/Provider.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import type { Role } from "../../contract/Roles.ts"
import { roles } from "../../contract/Roles.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import type { SettingName } from "./SettingNames.ts"

type Values = { readonly [Name in SettingName]?: string | undefined }

const decodeRoleMap = strictDecoder(Schema.Record(Schema.String, Schema.Literals(roles)))

/** The role of each value of the provider's claim; fails with what is wrong. */
const roleMapOf = (text: string): Result.Result<Readonly<Record<string, Role>>, string> => {
  const example = 'must be a JSON object from values to roles, such as {"loyalty-admins": "owner"}'
  if (firstFault(text) !== undefined) return Result.fail(example)
  const decoded = decodeRoleMap(JSON.parse(text))
  if (Result.isSuccess(decoded))
    return Object.keys(decoded.success).length > 0 ? Result.succeed(decoded.success) : Result.fail(example)
  const [fault] = decoded.failure
  return Result.fail(fault === undefined ? example : `${example}; ${fault.path} ${fault.message}`)
}

const isIssuer = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "localhost")
}

/** Reads them, and tells each fault. Undefined: no provider. */
export const read = (
  values: Values,
  fault: (name: SettingName, message: string) => void
): ProviderOptions | undefined => {
  const { oidcClientId, oidcClientSecret, oidcIssuer, oidcRoleClaim = "role", oidcRoleMap = "" } = values
  if (oidcIssuer === undefined) {
    for (const name of ["oidcClientId", "oidcClientSecret", "oidcRoleClaim", "oidcRoleMap"] as const)
      if (values[name] !== undefined) fault(name, "needs PROTO_OIDC_ISSUER too")
    return undefined
  }
  if (!isIssuer(oidcIssuer))
    fault("oidcIssuer", "must be an https address, such as https://login.example.com; http is for localhost alone")
  if (oidcClientId === undefined) fault("oidcClientId", "must be set with PROTO_OIDC_ISSUER")
  if (oidcClientSecret === undefined) fault("oidcClientSecret", "must be set with PROTO_OIDC_ISSUER")
  const roleMap = roleMapOf(oidcRoleMap)
  if (Result.isFailure(roleMap)) fault("oidcRoleMap", roleMap.failure)
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId ?? "",
    clientSecret: Redacted.make(oidcClientSecret ?? ""),
    roleClaim: oidcRoleClaim,
    roleMap: Result.getOrElse(roleMap, () => ({}))
  }
}
