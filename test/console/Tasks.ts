/** The tasks in the browser that `npm test` runs: the most important of each page, by the names of their tests. */
export const tasks: ReadonlySet<string> = new Set([
  // Entrance and frame
  "asks for a key, says that it is wrong, and keeps what was typed",
  "freezes writes after a confirmation, which every page then says, and allows them again on Today",
  "loads less than 250 kB to ask who it is, and for the numbers of today",
  "names each page in the browser's tab, and gives its heading the focus when it is gone to",
  "credits points once, although the answer was lost, a 503, or that of another server",
  "tells on every page that the service does not answer, fails changes at once, and reads again after it",
  // Today
  "fits two screens of a desk and four of a telephone, with what changed most, and leads to all figures",
  "shows the figures of 30 days as the service tells them, as charts and as tables",
  "names what needs attention, each with a link, on a narrow screen too",
  "names a restaurant among all figures, in a time zone of a list, and offers the name where people choose one",
  // Members
  "finds a member, adjusts points after a preview, and tells it in ledger and trail",
  "lists what a merge moves, copies and deletes before it is done, and does nothing before",
  "changes a profile field by field, with faults at their fields, and clears what is emptied",
  "enters consent with its source, withdraws it, and shows both on a narrow screen",
  "erases a member after the id was typed, and says what goes and what stays",
  "enrols a guest who was searched in vain, with a card, once, and says who has that already",
  "imports a file after a look at it, tells faults by row and column, and imports it once",
  // Programme
  "tells changes in words, what an order would earn by them, and publishes them",
  "takes rewards from a short dialog, by keys alone, and publishes them with ids of their own",
  "makes a promotion and a reward by dialogs alone: an order really earns by one and redeems the other",
  // Audience
  "builds a segment from rules with a live estimate, and says at a condition what is wrong with it",
  "makes a campaign for a pasted list, runs it with a holdout to its end, and reports the lift",
  // Developers and the audit
  "issues a token, shows its secret once, and leaves out what that token may not do",
  "adds a connector, changes it over another's change, and deletes it",
  "finds what a till was answered, by its id, and what the code means",
  "tells changes of the audit in words"
])
