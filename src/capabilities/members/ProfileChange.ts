/** Changes that a request makes to a stored profile, its faults, and how the audit tells it. Pure. */
import type { BodyFault } from "../../contract/Decode.ts"
import { canonical, isObject } from "../../contract/Decode.ts"
import type { ConsentFacts, ProfileFacts } from "../../contract/platform/Members.ts"
import { lacksId, maxConsents } from "../../contract/platform/Members.ts"
import { toMillis } from "../../contract/Values.ts"
import type { AttributeChange, ConsentGiven, ProfileFields } from "../../core/journal/Records.ts"
import { searchKey } from "../../core/journal/SearchKey.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Bounds from "./Bounds.ts"
import type { StoredConsent, StoredMember } from "./ProfileStore.ts"

/** The differences between a request and the stored profile. */
export interface Change {
  readonly fields: ProfileFields
  readonly consents: ReadonlyArray<ConsentGiven>
  /** Undefined: no attribute changes. */
  readonly attributes: AttributeChange | undefined
}

const keyOrNull = (text: string | null): string | null => (text === null ? null : searchKey(text))

/** The consents of a request as a list. `at`: `recorded_at`, ms; null: now. */
export const consentsIn = ({
  consent
}: ProfileFacts): ReadonlyArray<Omit<ConsentGiven, "recorded_at"> & { at: number | null }> => {
  if (consent === undefined) return []
  if ("marketing" in consent) {
    const { marketing, source = null } = consent
    return [{ purpose: "marketing", channel: "", granted: marketing, source, at: null }]
  }
  // A list, by the contract.
  return (consent as ReadonlyArray<typeof ConsentFacts.Type>).map(
    ({ channel = "", granted, purpose, recorded_at, source = null }) => ({
      purpose,
      channel,
      granted,
      source,
      at: recorded_at === undefined ? null : toMillis(recorded_at)
    })
  )
}

/** Faults that the schema cannot find. `now`: the service's clock, ms. */
export const faultsOf = (facts: ProfileFacts, now: number): ReadonlyArray<BodyFault> => {
  const faults: Array<BodyFault> = []
  if (facts.member_id === undefined && (facts.external_id ?? undefined) === undefined)
    faults.push({ path: "/member_id", message: lacksId })
  return [...faults, ...timeFaults(facts, now)]
}

/**
 * Times that lie ahead. `isReadable`: absent for facts without faults of their schema; of any other, true for the places that
 * are checked all the same.
 */
export const timeFaults = (
  { birth_date, consent }: ProfileFacts,
  now: number,
  isReadable: (path: string) => boolean = () => true
): ReadonlyArray<BodyFault> => {
  const ahead = (path: string) => ({ path, message: "must not lie ahead" })
  // It may already be tomorrow where the member lives.
  const isUnborn = isReadable("/birth_date") && Date.parse(birth_date ?? "") > now + dayMs
  const consents = Array.isArray(consent) && consent.length <= maxConsents ? consent.entries() : []
  const unrecorded = [...consents].flatMap(([index, one]) => {
    const isAhead = isReadable(`/consent/${index}`) && toMillis(one.recorded_at ?? "") > now + Bounds.clockSkewMs
    return isAhead ? [ahead(`/consent/${index}/recorded_at`)] : []
  })
  return [...(isUnborn ? [ahead("/birth_date")] : []), ...unrecorded]
}

export const fieldsOf = (facts: ProfileFacts, before: StoredMember | undefined): ProfileFields => {
  const { birth_date, display_name, email, external_id, phone } = facts
  const isChanged = (value: string | null | undefined, known: string | null | undefined): value is string | null =>
    value !== undefined && value !== (known ?? null)
  return {
    ...(isChanged(external_id, before?.externalId) ? { external_id } : undefined),
    ...(isChanged(display_name, before?.displayName) ? { display_name, name_key: keyOrNull(display_name) } : undefined),
    ...(isChanged(email, before?.email) ? { email, email_key: keyOrNull(email) } : undefined),
    ...(isChanged(phone, before?.phone) ? { phone } : undefined),
    ...(isChanged(birth_date, before?.birthDate) ? { birth_date } : undefined)
  }
}

/**
 * The consents that change. One without a time is never older than the stored one, whose system's clock may be ahead.
 */
export const consentsOf = (
  facts: ProfileFacts,
  before: ReadonlyArray<StoredConsent>,
  now: number
): ReadonlyArray<ConsentGiven> =>
  consentsIn(facts).flatMap(({ at, ...given }) => {
    const known = before.find(({ channel, purpose }) => channel === given.channel && purpose === given.purpose)
    const recorded_at = at ?? Math.max(now, known?.recordedAt ?? 0)
    if (known?.granted === given.granted) {
      const isSameSource = given.source === known.source || (at === null && given.source === null)
      if (isSameSource && (at === null || at === known.recordedAt)) return []
    }
    return [{ ...given, recorded_at }]
  })

export const attributesOf = (
  { attributes }: ProfileFacts,
  before: Readonly<Record<string, unknown>> = {}
): AttributeChange | undefined => {
  if (attributes === undefined) return undefined
  if (attributes === null) return Object.keys(before).length === 0 ? undefined : null
  if (!isObject(attributes)) throw new Error("attributes are an object, by the contract")
  const changed = Object.entries(attributes).filter(
    ([key, value]) => canonical({ attributes: value }) !== canonical({ attributes: before[key] ?? null })
  )
  // The values are JSON, by the contract.
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as AttributeChange)
}

/** The attributes of a member after a request. */
export const attributesAfter = (
  facts: ProfileFacts,
  before: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  const change = attributesOf(facts, before)
  if (change === undefined) return before
  return Object.fromEntries(Object.entries({ ...(change && before), ...change }).filter(([, value]) => value !== null))
}

export const isEmpty = ({ attributes, consents, fields }: Change): boolean =>
  attributes === undefined && consents.length === 0 && Object.keys(fields).length === 0

type ConsentShown = Pick<ConsentGiven, "purpose" | "channel" | "granted">

const decisions = (consents: ReadonlyArray<ConsentShown>) =>
  consents.map(({ channel, granted, purpose }) => ({
    purpose,
    ...(channel === "" ? undefined : { channel }),
    granted
  }))

/** The changes of an audit entry: which personal values changed, and consents as decisions. */
export const auditChanges = (
  { attributes, consents, fields }: Change,
  known: ReadonlyArray<StoredConsent>
): NonNullable<Audit.AuditFacts["changes"]> => {
  const names = Object.keys(fields).filter((name) => name !== "name_key" && name !== "email_key")
  const before = known.filter((one) => consents.some((c) => c.purpose === one.purpose && c.channel === one.channel))
  return {
    ...(before.length === 0 ? undefined : { before: { consents: decisions(before) } }),
    after: {
      ...Object.fromEntries(names.map((name) => [name, Audit.concealed])),
      ...(attributes === undefined ? undefined : { attributes: Audit.concealed }),
      ...(consents.length === 0 ? undefined : { consents: decisions(consents) })
    }
  }
}
