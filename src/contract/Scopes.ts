/** Scopes: what tokens and people may do, and the scope that each route asks for. Pure data. */

/** A whole surface at once: every scope that its routes ask for to read, or to change something. */
export const wholeScopes = ["admin:read", "admin:write", "platform:read", "platform:write"] as const
type WholeScope = (typeof wholeScopes)[number]

/** One kind of work (contract/operators.md *Scopes*). */
export const workScopes = [
  "figures:read",
  "finance:read",
  "finance:close",
  "members:read",
  "members:write",
  "members:merge",
  "members:erase",
  "members:export",
  "points:give",
  "audience:read",
  "audience:write",
  "programs:read",
  "programs:publish",
  "developer:read",
  "developer:write",
  "audit:read",
  "audit:own",
  "service:write",
  "staff:read",
  "staff:write"
] as const
export type WorkScope = (typeof workScopes)[number]

/** The scopes of tokens. */
export const scopes = ["protocol:read", "protocol:write", ...wholeScopes, "metrics:read", ...workScopes] as const
export type Scope = (typeof scopes)[number]

/** The scope of each route of `/admin/api/v1` that asks for one. */
const admin = {
  tokens: "developer:read",
  createToken: "developer:write",
  rotateToken: "developer:write",
  revokeToken: "developer:write",
  audit: "audit:read",
  auditCsv: "audit:read",
  overview: "figures:read",
  promotionFigures: "figures:read",
  rollForward: "finance:read",
  cohorts: "finance:read",
  listClosings: "finance:read",
  showClosing: "finance:read",
  closingFile: "finance:read",
  closeMonth: "finance:close",
  listMembers: "members:read",
  showMember: "members:read",
  memberLedger: "members:read",
  memberLedgerCsv: "members:read",
  memberBalance: "members:read",
  setMemberStatus: "members:write",
  changeMemberIdentities: "members:write",
  // With points:give besides, unless it is a dry run.
  moveGuestsIn: "members:write",
  listMovedGuests: "members:read",
  reportMoveRun: "members:write",
  listMoveRuns: "audit:read",
  showMoveRun: "audit:read",
  mergeMembers: "members:merge",
  exportMember: "members:export",
  printMember: "members:export",
  // Callers that may not give ask others.
  listAsks: "members:read",
  askManager: "members:read",
  approveAsk: "points:give",
  declineAsk: "points:give",
  // Beside them the work itself asks for a right: who has not got it hands it over.
  listHandovers: "audience:read",
  showHandover: "audience:read",
  handOver: "audience:write",
  approveHandover: "audience:write",
  declineHandover: "audience:write",
  adjustMember: "points:give",
  issueMemberReward: "points:give",
  // With its code, which redeems it.
  showMemberReward: "points:give",
  cancelMemberReward: "points:give",
  moveOrder: "points:give",
  addReceipt: "points:give",
  claimReceipt: "points:give",
  takeBackRewards: "points:give",
  listPrograms: "programs:read",
  listProducts: "programs:read",
  listCategories: "programs:read",
  showProgram: "programs:read",
  listProgramVersions: "programs:read",
  showProgramVersion: "programs:read",
  evaluateProgram: "programs:read",
  validateProgram: "programs:read",
  previewPublication: "programs:read",
  previewPromotions: "programs:read",
  // With `members:read` it names the guests, with `audit:read` who gave something.
  attention: "figures:read",
  // Everybody reads figures by restaurant, and so their names.
  listLocations: "figures:read",
  putLocation: "programs:publish",
  publishProgram: "programs:publish",
  rollBackProgram: "programs:publish",
  retireProgram: "programs:publish",
  restoreProgram: "programs:publish",
  showLogo: "programs:read",
  putLogo: "programs:publish",
  deleteLogo: "programs:publish",
  putBusiness: "staff:write",
  putBusinessLogo: "staff:write",
  deleteBusinessLogo: "staff:write",
  nodes: "developer:read",
  requests: "developer:read",
  // Everybody reads figures, and so knows why nothing can be written, and what time a sandbox has.
  maintenance: "figures:read",
  freeze: "service:write",
  clock: "figures:read",
  moveClock: "developer:write",
  faults: "developer:read",
  setFaults: "developer:write",
  listConnections: "developer:read",
  showConnection: "developer:read",
  listConnectionTransactions: "developer:read",
  changeConnection: "developer:write",
  // With the scopes of an owner: the use cases check them.
  createConnection: "developer:write",
  rotateConnection: "developer:write",
  deleteConnection: "developer:write"
} as const satisfies Record<string, WorkScope>

/** The same of `/platform/v1`. */
const platform = {
  platform: "figures:read",
  analytics: "figures:read",
  restaurantFigures: "figures:read",
  findMembers: "members:read",
  restaurantGuest: "members:read",
  restaurantOrders: "members:read",
  restaurantOrdersCsv: "members:read",
  restaurantRedemptions: "members:read",
  restaurantRedemptionsCsv: "members:read",
  memberConsents: "members:read",
  memberChallenges: "members:read",
  memberCampaigns: "members:read",
  listEvents: "members:read",
  upsertMember: "members:write",
  makeSignInLink: "members:write",
  eraseMember: "members:erase",
  membersCsv: "members:export",
  recordEvent: "audience:write",
  recordEvents: "audience:write",
  listSegments: "audience:read",
  previewSegment: "audience:read",
  putSegment: "audience:write",
  archiveSegment: "audience:write",
  deleteSegment: "audience:write",
  testCampaign: "audience:write",
  campaigns: "audience:read",
  campaignRuns: "audience:read",
  previewCampaignRun: "audience:read",
  campaignReport: "audience:read",
  previewAudience: "audience:read",
  // With `points:give`.
  confirmAudience: "audience:write",
  putCampaign: "audience:write",
  setCampaignStatus: "audience:write",
  deleteCampaign: "audience:write",
  runCampaign: "audience:write",
  importMembers: "audience:write",
  takeBackImport: "members:erase",
  listImports: "audience:read",
  listImportErrors: "audience:read",
  listPromotions: "programs:read",
  readFeed: "developer:read",
  streamFeed: "developer:read",
  listConnectors: "developer:read",
  listDeliveries: "developer:read",
  putConnector: "developer:write",
  deleteConnector: "developer:write",
  replayConnector: "developer:write",
  retryConnector: "developer:write",
  testConnector: "developer:write",
  rotateConnector: "developer:write",
  setConnectorStatus: "developer:write"
} as const satisfies Record<string, WorkScope>

/** The same of the people. No whole has them: a key from before people signed in must not make an owner. */
const staff = {
  listStaff: "staff:read",
  listLimits: "staff:read",
  changeLimits: "staff:write",
  changeUserLimits: "staff:write",
  inviteUser: "staff:write",
  inviteUserAgain: "staff:write",
  changeUserRole: "staff:write",
  disableUser: "staff:write",
  enableUser: "staff:write",
  removeUserPasskeys: "staff:write",
  endUserSessions: "staff:write"
} as const satisfies Record<string, WorkScope>

/** The same of orders without a guest, which tills keep. Not in a whole: they are a till's work. */
const tills = {
  keepOrder: "protocol:write",
  adjustKeptOrder: "protocol:write",
  // By the id of an order with points:give besides: the code shows that the guest was there.
  claimOrder: "protocol:write"
} as const

export type Operation = keyof typeof admin | keyof typeof platform | keyof typeof staff | keyof typeof tills

/** The whole scope that a route takes instead of its own. An export only reads. */
const wholeOf = (surface: "admin" | "platform", scope: WorkScope): WholeScope =>
  `${surface}:${/:(read|export)$/.test(scope) ? "read" : "write"}`

/** Either of these scopes lets a caller use a route: the kind of work, its surface's whole, or a part of the work. */
export interface RouteScopes {
  readonly scope: WorkScope | "protocol:write"
  readonly whole?: WholeScope
  /** With it the route shows what concerns the caller alone. */
  readonly own?: WorkScope
  /** Another kind of work that the route is part of. */
  readonly also?: WorkScope
}

/** Routes that are part of another kind of work too. */
const also: Readonly<Record<string, WorkScope>> = {
  clock: "developer:read",
  maintenance: "service:write",
  listLocations: "programs:publish"
}

const askedBy = (surface: "admin" | "platform", table: Readonly<Record<string, WorkScope>>) =>
  Object.entries(table).map(([name, scope]): readonly [string, RouteScopes] => [
    name,
    {
      scope,
      whole: wholeOf(surface, scope),
      ...(scope === "audit:read" ? { own: "audit:own" } : undefined),
      ...(also[name] === undefined ? undefined : { also: also[name] })
    }
  ])

const routes = new Map<string, RouteScopes>([
  ...askedBy("admin", admin),
  ...askedBy("platform", platform),
  ...Object.entries({ ...staff, ...tills }).map(([name, scope]): readonly [string, RouteScopes] => [name, { scope }])
])

/** The scope of a route, by its name in the contract; undefined: it is no route with a scope. */
export const askedFor = (operation: string): RouteScopes | undefined => routes.get(operation)

/** True if a caller with these scopes may do what is asked for. */
export const allows = (held: ReadonlySet<Scope>, asked: RouteScopes): boolean =>
  scopesFor(asked).some((one) => held.has(one))

/** The scopes that let a caller use a route: any one of them is enough. */
export const scopesFor = ({ also, own, scope, whole }: RouteScopes): ReadonlyArray<Scope> =>
  [scope, whole, own, also].filter((one) => one !== undefined)

/**
 * Whether giving points or rewards is allowed to a caller, whichever request it is part of: a merge, a campaign that
 * starts, an import with balances.
 */
export const mayGive = (held: ReadonlySet<Scope>, surface: "admin" | "platform"): boolean =>
  allows(held, { scope: "points:give", whole: wholeOf(surface, "points:give") })

/** The kinds of work in a whole scope. */
const partsOf = (whole: WholeScope): ReadonlyArray<WorkScope> => {
  const used = [...routes.values()].flatMap(({ scope, whole: of }) =>
    of === whole && scope !== "protocol:write" ? [scope] : []
  )
  return [...new Set(whole === "platform:write" ? [...used, "points:give" as const] : used)]
}
const parts = new Map<Scope, ReadonlyArray<WorkScope>>(wholeScopes.map((whole) => [whole, partsOf(whole)]))

/**
 * True if a caller with these scopes may hand on a scope: it has it, or, of a whole, every kind of work in it, or, of a
 * kind of work, every whole that has part of it.
 */
export const mayHandOn = (held: ReadonlySet<Scope>, scope: Scope): boolean => {
  if (held.has(scope)) return true
  const within = parts.get(scope)
  if (within !== undefined) return within.every((one) => held.has(one))
  const wholes = wholeScopes.filter((whole) => parts.get(whole)?.some((one) => one === scope))
  return wholes.length > 0 && wholes.every((whole) => held.has(whole))
}
