/** The model of the profile form, and the change that it makes. Pure. */

import type { PlatformMember, ProfileFacts } from "../../contract/platform/Members.ts"
import { phoneIn } from "./phone.ts"

export const texts = ["display_name", "email", "phone", "birth_date", "external_id"] as const
export type ProfileText = (typeof texts)[number]

/** An entered attribute. A value that does not fit one field is kept unchanged. */
export type Entered = { readonly id: number; readonly name: string } & (
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number | string }
  | { readonly kind: "flag"; readonly value: boolean }
  | { readonly kind: "other"; readonly value: unknown }
)

export type ProfileDraft = Readonly<Record<ProfileText, string>> & { readonly attributes: ReadonlyArray<Entered> }

export const attributesOf = ({ attributes }: PlatformMember): ReadonlyArray<readonly [string, unknown]> =>
  typeof attributes === "object" && attributes !== null ? Object.entries(attributes) : []

/** True if the profile has no personal data besides identities. */
export const isBare = (member: PlatformMember): boolean =>
  texts.every((name) => member[name] === undefined) && attributesOf(member).length === 0 && member.consents.length === 0

const entered = (id: number, name: string, value: unknown): Entered => {
  switch (typeof value) {
    case "string":
      return { id, name, kind: "text", value }
    case "number":
      return { id, name, kind: "number", value }
    case "boolean":
      return { id, name, kind: "flag", value }
    default:
      return { id, name, kind: "other", value }
  }
}

export const draftOf = (member: PlatformMember): ProfileDraft => ({
  display_name: member.display_name ?? "",
  email: member.email ?? "",
  phone: member.phone ?? "",
  birth_date: member.birth_date ?? "",
  external_id: member.external_id ?? "",
  attributes: attributesOf(member).map(([name, value], id) => entered(id, name, value))
})

type EntryFault = "empty" | "repeated" | "noNumber"

/** An entered attribute's fault, found before sending. */
export const faultOf = (one: Entered, all: ReadonlyArray<Entered>): EntryFault | undefined => {
  if (one.name === "") return "empty"
  if (all.some(({ id, name }) => id < one.id && name === one.name)) return "repeated"
  return one.kind === "number" && !Number.isFinite(one.value) ? "noNumber" : undefined
}

/** The changed attributes. A removed one is null. */
const attributeChanges = (member: PlatformMember, { attributes }: ProfileDraft): Readonly<Record<string, unknown>> => {
  const before = new Map(attributesOf(member))
  const kept = new Set(attributes.map(({ name }) => name))
  return Object.fromEntries([
    ...[...before.keys()].filter((name) => !kept.has(name)).map((name) => [name, null] as const),
    ...attributes
      .filter(({ name, value }) => !before.has(name) || JSON.stringify(before.get(name)) !== JSON.stringify(value))
      .map(({ name, value }) => [name, value] as const)
  ])
}

/** The fields of a change that somebody else has changed since, to another value. */
export const changedByBoth = (
  before: PlatformMember,
  now: PlatformMember,
  change: ProfileFacts | undefined
): ReadonlyArray<ProfileText> =>
  texts.filter(
    (name) => change?.[name] !== undefined && now[name] !== before[name] && (now[name] ?? null) !== change[name]
  )

/**
 * Only the changed fields, so that another operator's change of other fields is kept. Undefined: no change. `country`: the
 * programme's, whose telephone numbers need no country code.
 */
export const changeOf = (
  member: PlatformMember,
  draft: ProfileDraft,
  country: string | undefined
): ProfileFacts | undefined => {
  const changed = texts.flatMap((name) => {
    const value = name === "phone" ? phoneIn(draft.phone, country) : draft[name].trim()
    return value === (member[name] ?? "") ? [] : [[name, value === "" ? null : value] as const]
  })
  const attributes = attributeChanges(member, draft)
  const hasAttributes = Object.keys(attributes).length > 0
  if (changed.length === 0 && !hasAttributes) return undefined
  return {
    member_id: member.member_id,
    program_id: member.program_id,
    ...Object.fromEntries(changed),
    ...(hasAttributes ? { attributes } : {})
  }
}
