/** The roles of people: sets of scopes (contract/people.md *Roles*). Pure data. */
import type { Scope } from "./Scopes.ts"
import { mayHandOn, workScopes } from "./Scopes.ts"

/** The first may most. */
export const roles = [
  "owner",
  "manager",
  "marketer",
  "support",
  "analyst",
  "developer",
  "finance",
  "franchisee"
] as const
export type Role = (typeof roles)[number]

const everybody = ["figures:read", "programs:read"] as const

/** Permissions of each role. The wholes of surfaces are for keys alone. */
const table: Readonly<Record<Role, ReadonlyArray<Scope>>> = {
  owner: [...workScopes, "protocol:read", "protocol:write", "metrics:read"],
  manager: [
    ...everybody,
    "members:read",
    "members:write",
    "members:merge",
    "members:erase",
    "members:export",
    "points:give",
    "audience:read",
    "audience:write",
    "programs:publish",
    "developer:read",
    "audit:read",
    "service:write",
    "staff:read"
  ],
  marketer: [...everybody, "members:read", "audience:read", "audience:write"],
  support: [...everybody, "members:read", "members:write", "points:give", "audience:read", "audit:own"],
  analyst: [...everybody, "audience:read"],
  developer: [...everybody, "developer:read", "developer:write", "audit:read", "service:write"],
  finance: [...everybody, "finance:read", "finance:close"],
  // Of her restaurants alone: without a limit of them she has none.
  franchisee: [...everybody, "finance:read", "members:read", "points:give"]
}

const scopesByRole = new Map<Role, ReadonlySet<Scope>>(roles.map((role) => [role, new Set(table[role])]))

export const scopesOf = (role: Role): ReadonlySet<Scope> => scopesByRole.get(role) ?? new Set()

/** True if a caller with these scopes may make somebody of a role: it holds all that the role may do. */
export const isWithin = (held: ReadonlySet<Scope>, role: Role): boolean =>
  [...scopesOf(role)].every((scope) => mayHandOn(held, scope))
