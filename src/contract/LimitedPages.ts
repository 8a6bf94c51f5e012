/**
 * Routes which pages of the console ask about, for callers that are limited to restaurants
 * (contract/people.md *Limited to restaurants*). The console's first page loads this file; all others are in `LimitedRoutes`.
 * Pure data.
 */

/** Those that show nothing of a restaurant, and those that hold to the restaurants of the caller. */
export const limitedPages: ReadonlySet<string> = new Set([
  "clock",
  "showProgram",
  // Tokens that reach no restaurant beyond the caller's. A new one without limits has the caller's.
  "tokens",
  "createToken",
  "rotateToken",
  "revokeToken",
  // Without the number of members.
  "listPrograms",
  // A guest of the restaurants, at one of them.
  "adjustMember",
  // The caller's restaurants, without those to whom they belonged.
  "listLocations",
  // A row for each restaurant that is the caller's on every day, without rewards.
  "rollForward",
  // The caller's restaurants, on the days on which they are its.
  "restaurantOrders",
  // Reservations there, within two days of when it is the caller's.
  "restaurantRedemptions",
  // A guest known by a whole card number or address, or who has ordered there; entries there.
  "restaurantGuest",
  // The caller's restaurants, on the days on which they are its.
  "restaurantFigures"
])
