/**
 * Routes for callers that are limited to restaurants (contract/people.md *Limited to restaurants*). A route that is not
 * `open` and does not say how it holds to the limit refuses them, also one that is missing here. Pure data.
 */

/**
 * `open`: it shows and changes nothing of a restaurant. `limited`: how it holds to the restaurants of the caller.
 * `refused`: 403 for such a caller.
 */
export type Reach = "open" | "refused" | { readonly limited: string }

const limited = (how: string): Reach => ({ limited: how })

const ownTokens = limited("tokens that reach no restaurant beyond the caller's")

/** The routes of people and keys themselves. */
const own: Readonly<Record<string, Reach>> = {
  session: "open",
  signIn: "open",
  signInOptions: "open",
  signInWays: "open",
  signInWithPasskey: "open",
  signOut: "open",
  beginAtProvider: "open",
  finishAtProvider: "open",
  showInvitation: "open",
  acceptInvitation: "open",
  newPasskeyOptions: "open",
  addPasskey: "open",
  renamePasskey: "open",
  removePasskey: "open",
  showOwnAccount: "open",
  listOwnSessions: "open",
  endOwnSessions: "open",
  tokens: ownTokens,
  createToken: limited("the caller's limits, where the request has no narrower ones"),
  rotateToken: ownTokens,
  revokeToken: ownTokens
}

const byIdentity = limited("a guest by an exact identity")
const ofOrder = limited("orders of the caller's restaurants, by their business day")
const ofReservation = limited(
  "reservations for orders of the caller's restaurants, within two days of when they are its"
)

/** The routes of `/proto/v1`. */
const protocol: Readonly<Record<string, Reach>> = {
  capabilities: "open",
  "member.lookup": byIdentity,
  "member.enroll": byIdentity,
  "account.get": limited("a guest whose id is known: what the guest has, and no entry"),
  "program.get": "open",
  "ledger.list": "refused",
  "ledger.manual_adjustment": "refused",
  "order.evaluate": ofOrder,
  "accrual.post": ofOrder,
  "order.adjust": limited("orders that accrued at the caller's restaurants, on days on which they are the caller's"),
  "redemption.reserve": ofOrder,
  "redemption.capture": ofReservation,
  "redemption.reverse": ofReservation,
  "issued_reward.issue": "refused",
  "issued_reward.list": limited("a guest whose id is known: the wallet, which may be redeemed anywhere"),
  "issued_reward.cancel": "refused"
}

const refused = (names: ReadonlyArray<string>): Readonly<Record<string, Reach>> =>
  Object.fromEntries(names.map((name) => [name, "refused"]))

/** The routes of `/admin/api/v1`. */
const admin: Readonly<Record<string, Reach>> = {
  clock: "open",
  maintenance: "open",
  showLogo: "open",
  listPrograms: limited("without the number of members"),
  showProgram: "open",
  adjustMember: limited("a guest of the restaurants, at one of them"),
  listLocations: limited("the caller's restaurants, without those to whom they belonged"),
  rollForward: limited("a row for each restaurant that is the caller's on every day, without rewards"),
  ...refused(["audit", "auditCsv", "overview", "promotionFigures", "attention", "nodes", "requests", "metrics"]),
  ...refused(["freeze", "moveClock", "faults", "setFaults", "putLocation", "putLogo", "deleteLogo"]),
  // Closed months are for the whole programme: the roll-forward shows a place its rows of them.
  ...refused(["closeMonth", "listClosings", "showClosing", "cohorts"]),
  // Guests.
  ...refused(["listMembers", "showMember", "memberLedger", "memberLedgerCsv", "memberBalance", "setMemberStatus"]),
  ...refused(["changeMemberIdentities", "mergeMembers", "exportMember", "issueMemberReward"]),
  ...refused(["showMemberReward", "cancelMemberReward", "moveOrder", "takeBackRewards"]),
  ...refused(["moveGuestsIn", "listMovedGuests", "reportMoveRun", "listMoveRuns", "showMoveRun"]),
  // Programmes.
  ...refused(["listProgramVersions", "showProgramVersion", "evaluateProgram"]),
  ...refused(["validateProgram", "previewPublication", "previewPromotions", "publishProgram", "rollBackProgram"]),
  ...refused(["retireProgram", "restoreProgram"]),
  // Tills' connections and people.
  ...refused(["listConnections", "showConnection", "listConnectionTransactions", "changeConnection"]),
  ...refused(["createConnection", "rotateConnection", "deleteConnection", "connection.toast"]),
  ...refused(["listStaff", "listLimits", "changeLimits", "changeUserLimits", "inviteUser", "inviteUserAgain"]),
  ...refused(["changeUserRole", "disableUser", "enableUser", "removeUserPasskeys", "endUserSessions"])
}

/** The routes of `/platform/v1`, and of assistants. */
const platform: Readonly<Record<string, Reach>> = {
  platform: "open",
  restaurantGuest: limited("a guest known by a whole card number or address, or who has ordered there; entries there"),
  restaurantFigures: limited("the caller's restaurants, on the days on which they are its"),
  mcp: "refused",
  ...refused(["analytics", "findMembers", "memberConsents", "memberChallenges", "memberCampaigns", "listEvents"]),
  ...refused(["upsertMember", "makeSignInLink", "eraseMember", "membersCsv", "recordEvent", "recordEvents"]),
  keepOrder: ofOrder,
  adjustKeptOrder: ofOrder,
  claimOrder: ofOrder,
  ...refused(["readFeed", "streamFeed", "listPromotions"]),
  // Audiences, campaigns and connectors are for all guests of a programme.
  ...refused(["listSegments", "previewSegment", "putSegment", "archiveSegment", "deleteSegment", "testCampaign"]),
  ...refused(["campaigns", "campaignRuns", "previewCampaignRun", "campaignReport", "previewAudience"]),
  ...refused(["confirmAudience", "putCampaign", "setCampaignStatus", "deleteCampaign", "runCampaign"]),
  ...refused(["importMembers", "listImports", "listImportErrors", "listConnectors", "listDeliveries"]),
  ...refused(["putConnector", "deleteConnector", "replayConnector", "retryConnector", "testConnector"]),
  ...refused(["rotateConnector", "setConnectorStatus"])
}

const routes: ReadonlyMap<string, Reach> = new Map(Object.entries({ ...own, ...protocol, ...admin, ...platform }))

/** How a route holds to restaurants, by its name in the contract; undefined: the table lacks it, and it refuses them. */
export const reachOf = (operation: string): Reach | undefined => routes.get(operation)

/** True if a caller that is limited to restaurants may use the route. */
export const isForLimited = (operation: string): boolean => (routes.get(operation) ?? "refused") !== "refused"
