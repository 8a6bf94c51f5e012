/** Checks `DATABASE_URL` before anything connects, so that a fault names its remedy. */

/** Remedies for parameters of other clients. */
const parameterRemedies: Readonly<Record<string, string>> = {
  ssl: "write sslmode=require",
  sslrootcert: "name the certificate authority's file in NODE_EXTRA_CA_CERTS",
  application_name: "leave it out: the service sets it",
  connect_timeout: "leave it out: the service has its own timeouts",
  pgbouncer: "leave it out, and connect to PostgreSQL directly"
}
const knownParameters: ReadonlyArray<string> = ["host", "port", "user", "password", "dbname", "options", "sslmode"]
const sslModes: ReadonlyArray<string> = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** Faults of parameters that the client would ignore or reject. */
const parameterFaults = ({ searchParams }: URL): ReadonlyArray<string> =>
  [...new Set(searchParams.keys())].flatMap((name) => {
    const value = searchParams.get(name) ?? ""
    if (searchParams.getAll(name).length > 1) return [`has the parameter ${name} more than once`]
    if (knownParameters.includes(name))
      return name !== "sslmode" || sslModes.includes(value)
        ? []
        : [`has sslmode=${value}; it must be one of ${sslModes.join(", ")}`]
    const lower = name.toLowerCase()
    const remedy =
      parameterRemedies[lower] ??
      (knownParameters.includes(lower)
        ? `write ${lower} in lower case`
        : `known parameters: ${knownParameters.join(", ")}`)
    return [`has the unknown parameter ${name}: ${remedy}`]
  })

/** A URL whose parts can be decoded: a password with a plain `%`, `/` or `#` makes another URL. */
const isReadable = (url: string): boolean => {
  try {
    const { hostname, password, pathname, username } = new URL(url)
    for (const part of [username, password, hostname, pathname]) decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Faults of the value, each to be read after the variable's name. */
export const faultsOf = (databaseUrl: string): ReadonlyArray<string> => {
  if (databaseUrl === "") return ["is empty; unset it for the embedded PostgreSQL"]
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) return ["must begin with postgres:// or postgresql://"]
  if (!isReadable(databaseUrl)) {
    return [
      "must be a URL such as postgres://user:password@host:5432/name, with special characters of the password as %XX: %2F for /"
    ]
  }
  return parameterFaults(new URL(databaseUrl))
}
