/** Every English text of the programme's page. Apart from the others: the first page does not load them. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const programmeStrings = texts("programme", {
  title: "Programme",
  none: "No programmes to show",
  noneHint:
    "Ask an operator for a token that covers the programme. On a new service, load the first programme with PROGRAMS.",
  version: (version: number, at: string, by: string) => `Version ${version}, published ${at} by ${by}`,
  rehearsal:
    "This programme is a rehearsal: guests are told nothing, connectors and campaigns rest. To end it, switch Rehearsal off under General, Advanced, and publish.",
  retired: "This programme is retired. Only captures, reversals, refunds and expirations continue.",
  sections: {
    general: "General",
    earning: "Earning",
    accounts: "Accounts",
    tiers: "Tiers",
    rewards: "Rewards",
    promotions: "Promotions",
    challenges: "Challenges",
    expiry: "Expiry",
    stampCard: "Stamp card",
    guestPage: "Guests' page"
  },
  changes: "Changes from the version in force",
  noChanges: "No changes yet. Edit a form to see what publishing would do.",
  errors: "Errors",
  warning: "Probably a mistake",
  blocking: "Changes that are not allowed",
  affected: (members: string, reservations: string, rewards: string) =>
    `In the programme now: ${members} members, ${reservations} open reservations, ${rewards} rewards in wallets.`,
  publish: "Publish",
  review: "Review changes",
  publishPreview: "It takes effect on every till immediately. Earlier entries do not change.",
  note: "Note for the history",
  versionColumn: "Version",
  published: "Published",
  historyNote: "Note",
  discard: "Discard my changes",
  discardQuestion: {
    title: "Discard your changes?",
    hint: "The forms show the version in force again. What you typed is lost.",
    stay: "Keep them",
    leave: "Discard them"
  },
  conflict: "Another version was published meanwhile. Nothing was changed: look at what is above, then publish again.",
  meanwhile: (version: number, by: string) =>
    `Version ${version} was published after you started, by ${by}. Your changes are now made to that version.`,
  both: (field: string) => `${field} was changed there, too. What you entered is kept.`,
  history: "History",
  noNote: "no note",
  rollBack: "Publish again",
  rollBackOf: (version: number) => `Publish again: version ${version}`,
  sameAsNow: "It is the same as the version in force.",
  rollBackPreview: (version: number) => `Publishes the definition of version ${version} as the newest version.`,
  retire: "Retire",
  retirePreview: "Orders earn nothing and nothing can be redeemed until you restore it. Nothing is lost.",
  restore: "Restore",
  restorePreview: "Orders earn and rewards can be redeemed again at once.",
  firstVersion: "the first version",
  added: (words: string) => `new: ${words}`,
  gone: (words: string) => `removed, was: ${words}`,
  changed: (n: number) => `${n} ${count(n, "change", "changes")}`,
  changedIn: (n: number, version: string) => `${n} ${count(n, "change", "changes")} in version ${version}`
})
