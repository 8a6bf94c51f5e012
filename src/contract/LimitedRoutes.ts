/**
 * Routes for callers that are limited to restaurants (contract/people.md *Limited to restaurants*). A route that is missing
 * here and in `LimitedPages` refuses them. Pure data.
 */
import { limitedPages } from "./LimitedPages.ts"

/** They show and change nothing of a restaurant. */
const open = [
  // Which months are closed, without their statements: the roll-forward has the caller's rows of them.
  "listClosings",
  "session",
  "signIn",
  "signInOptions",
  "signInWays",
  "signInWithPasskey",
  "signOut",
  "beginAtProvider",
  "finishAtProvider",
  "showInvitation",
  "acceptInvitation",
  "newPasskeyOptions",
  "addPasskey",
  "renamePasskey",
  "removePasskey",
  "showOwnAccount",
  "chooseOwnLanguage",
  "listOwnSessions",
  "endOwnSessions",
  "capabilities",
  "program.get",
  "maintenance",
  "showLogo",
  "showBusiness",
  "platform"
]

/** They hold to the restaurants of the caller. */
const limited = [
  // Own acts, and adjustments at the caller's restaurants on the days on which they are its.
  "audit",
  "auditCsv",
  // Its tools ask other routes, for the caller: those of this list answer.
  "mcp",
  // Events at the caller's restaurants, on the days on which they are its. What is at none is not sent.
  "readFeed",
  "streamFeed",
  // The caller's restaurants, on the days on which they are its.
  "restaurantOrdersCsv",
  "restaurantRedemptionsCsv",
  // A guest by an exact identity.
  "member.lookup",
  "member.enroll",
  // Entries at the caller's restaurants, without balances, of a guest who has ordered there.
  "memberLedger",
  "memberLedgerCsv",
  // A guest whose id is known: what the guest has, and no entry. The wallet may be redeemed anywhere.
  "account.get",
  "issued_reward.list",
  // Orders of the caller's restaurants, by their business day.
  "order.evaluate",
  "accrual.post",
  "redemption.reserve",
  "keepOrder",
  "adjustKeptOrder",
  "claimOrder",
  // Orders that accrued at the caller's restaurants, on days on which they are the caller's.
  "order.adjust",
  // Reservations for orders of the caller's restaurants, within two days of when they are its.
  "redemption.capture",
  "redemption.reverse"
]

const routes: ReadonlySet<string> = new Set([...limitedPages, ...open, ...limited])

/** True if a caller that is limited to restaurants may use the route. */
export const isForLimited = (operation: string): boolean => routes.has(operation)
