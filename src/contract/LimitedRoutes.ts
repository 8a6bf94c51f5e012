/**
 * Routes for callers that are limited to restaurants (contract/people.md *Limited to restaurants*). A route that is missing
 * here refuses them. The console's first page loads this file. Pure data.
 */

/** They show and change nothing of a restaurant. */
const open = [
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
  "listOwnSessions",
  "endOwnSessions",
  "capabilities",
  "program.get",
  "clock",
  "maintenance",
  "showLogo",
  "showProgram",
  "platform"
]

/** They hold to the restaurants of the caller. */
const limited = [
  // Tokens that reach no restaurant beyond the caller's. A new one without limits has the caller's.
  "tokens",
  "createToken",
  "rotateToken",
  "revokeToken",
  // A guest by an exact identity.
  "member.lookup",
  "member.enroll",
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
  "redemption.reverse",
  // Without the number of members.
  "listPrograms",
  // A guest of the restaurants, at one of them.
  "adjustMember",
  // The caller's restaurants, without those to whom they belonged.
  "listLocations",
  // A row for each restaurant that is the caller's on every day, without rewards.
  "rollForward",
  // A guest known by a whole card number or address, or who has ordered there; entries there.
  "restaurantGuest",
  // The caller's restaurants, on the days on which they are its.
  "restaurantFigures"
]

const routes: ReadonlySet<string> = new Set([...open, ...limited])

/** True if a caller that is limited to restaurants may use the route. */
export const isForLimited = (operation: string): boolean => routes.has(operation)
