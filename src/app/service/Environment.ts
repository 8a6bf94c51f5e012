/** The service's environment: its secrets in files, and faults of its names. */
import { Result } from "effect"
import * as fs from "node:fs"
import { environmentName } from "../../contract/protocol/Protocol.ts"
import { names, type SettingName } from "./SettingNames.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** The settings that are secrets: each has a variable with `_FILE` for a file that holds the value. */
export const secretNames: ReadonlyArray<SettingName> = [
  "databaseUrl",
  "token",
  "tokens",
  "adminKey",
  "oidcClientSecret",
  "smtpUrl"
]

export const fileVariable = (variable: string): string => `${variable}_FILE`

/** The value of a secret's file, without the line's end. */
export const readSecret = (variable: string, file: string): Result.Result<string, string> => {
  try {
    const text = fs.readFileSync(file, "utf8").replace(/\r?\n$/, "")
    return text === "" ? Result.fail(`${variable} names ${file}, which is empty`) : Result.succeed(text)
  } catch (error) {
    return Result.fail(`${variable} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const variables: ReadonlyMap<string, string> = new Map(
  Object.entries(names).flatMap(([name, [flag, variable]]) => [
    [variable, flag],
    ...(secretNames.includes(name as SettingName) ? [[fileVariable(variable), flag] as const] : [])
  ])
)

/** Faults of unknown and empty variables, such as a misspelt name or a secret that a deployment lost. */
export const environmentFaults = (environment: Environment): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value]) => {
    const flag = variables.get(name)
    if (flag === undefined)
      return name.startsWith(environmentName(""))
        ? [`${name} is unknown; lotbook serve --help lists all variables`]
        : []
    // An empty OTEL_… counts as unset everywhere.
    if (value !== "" || name.startsWith("OTEL_")) return []
    return [
      `${name} (--${flag}) is empty; unset it${name === "DATABASE_URL" ? " for the embedded PostgreSQL" : " or give it a value"}`
    ]
  })
