/**
 * Turns a programme file's JSON into a `Program` (contract/programmes.md *Programme file*). No other code does.
 *
 * The whole file is checked. `ProgramRules` has the rules between the parts. It
 * sees every part whose own shape is valid, so a misspelt property in one place
 * does not hide a fault in another place.
 */
import { Result, type Schema } from "effect"
import { Challenge } from "../../contract/Challenges.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import { isObject, strictDecoder } from "../../contract/Decode.ts"
import { Metric, ProgramFile } from "../../contract/ProgramFile.ts"
import { Promotion } from "../../contract/Promotions.ts"
import {
  AccountEarning,
  Earning,
  ProgramAccount,
  ProgramDefinition,
  Reward,
  Tier
} from "../../contract/protocol/Program.ts"
import type { Program } from "./Program.ts"
import { compile } from "./Program.ts"
import * as ProgramRules from "./ProgramRules.ts"

/** Decodes a value of the right shape; undefined for any other. */
const reader = <A>(schema: Schema.ConstraintDecoder<A>) => {
  const decode = strictDecoder(schema)
  return (json: unknown): A | undefined => Result.getOrUndefined(decode(json))
}

/** Reads an object property by property. One that is there but malformed is there as undefined. */
const propertiesReader = <F extends Schema.Struct.Fields>(fields: F) => {
  const readers = Object.entries(fields).map(
    ([key, field]) => [key, reader(field as Schema.ConstraintDecoder<unknown>)] as const
  )
  return (json: unknown): ProgramRules.Valid<Schema.Struct.Type<F>> | undefined => {
    if (!isObject(json)) return undefined
    const valid = readers.flatMap(([key, read]) => (Object.hasOwn(json, key) ? [[key, read(json[key])]] : []))
    // Each property was read by its own schema, which TypeScript cannot follow through Object.entries.
    return Object.fromEntries(valid) as ProgramRules.Valid<Schema.Struct.Type<F>>
  }
}

const listReader =
  <A>(read: (json: unknown) => A | undefined) =>
  (json: unknown): ProgramRules.Listed<A> => {
    if (!Array.isArray(json)) return { items: [], isWhole: false }
    const items = json.map(read)
    return { items, isWhole: !items.includes(undefined) }
  }

const readProperties = propertiesReader(ProgramFile.fields)
const readEarning = propertiesReader(Earning.fields)
const readAccounts = listReader(reader(ProgramAccount))
const readRules = listReader(reader(AccountEarning))
const readMetrics = listReader(propertiesReader(Metric.fields))
const readTiers = listReader(propertiesReader(Tier.fields))
const readRewards = listReader(propertiesReader(Reward.fields))
const readPromotions = listReader(propertiesReader(Promotion.fields))
const readChallenges = listReader(propertiesReader(Challenge.fields))

const draftOf = (json: Readonly<Record<string, unknown>>): ProgramRules.ValidParts => ({
  ...readProperties(json),
  earning: readEarning(json["earning"]) ?? {},
  accounts: readAccounts(json["accounts"]),
  account_earning: readRules(json["account_earning"] ?? []),
  metrics: readMetrics(json["metrics"]),
  tiers: readTiers(json["tiers"]),
  rewards: readRewards(json["rewards"]),
  promotions: readPromotions(json["promotions"] ?? []),
  challenges: readChallenges(json["challenges"] ?? [])
})

const decode = strictDecoder(ProgramFile)
/** The answer of `programs/get` according to the contract. */
const decodeDefinition = strictDecoder(ProgramDefinition)

/** The programme of a file's JSON, as version 1, or all faults. */
export const validate = (json: unknown): Result.Result<Program, ReadonlyArray<BodyFault>> => {
  const decoded = decode(json)
  const shapeFaults = Result.isFailure(decoded) ? decoded.failure : []
  const ruleFaults = isObject(json) ? ProgramRules.faults(draftOf(json)) : []
  if (Result.isFailure(decoded) || ruleFaults.length > 0) return Result.fail([...shapeFaults, ...ruleFaults])
  const program = compile(decoded.success)
  // Compiling rewrites timestamps: the result must still be a valid answer of programs/get.
  return Result.map(decodeDefinition(program.definition), () => program)
}

const isHttps = (address: string): boolean => URL.parse(address)?.protocol === "https:"

const pictureFaults = (json: unknown): ReadonlyArray<BodyFault> =>
  (["rewards", "promotions"] as const).flatMap((list) => {
    const items = isObject(json) ? json[list] : undefined
    if (!Array.isArray(items)) return []
    return items.flatMap((item, index) => {
      const address = isObject(item) ? item["image_url"] : undefined
      if (typeof address !== "string" || isHttps(address)) return []
      const message = "must be an https URL, such as https://example.com/gyoza.jpg"
      return [{ path: `/${list}/${index}/image_url`, message }]
    })
  })

/** The same of a draft by an operator. Definitions that are stored or in files may be older than these rules. */
export const validateDraft = (json: unknown): Result.Result<Program, ReadonlyArray<BodyFault>> => {
  const validated = validate(json)
  const faults = pictureFaults(json)
  if (faults.length === 0) return validated
  return Result.fail([...(Result.isFailure(validated) ? validated.failure : []), ...faults])
}
