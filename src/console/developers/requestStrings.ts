/** Every English text of the request log. Apart from the others: the first page does not load them. */
import { texts } from "../shared/texts.ts"

export const requestStrings = texts("request", {
  title: "Request log",
  hint: (zone: string, since: string) =>
    `The newest requests of the service that answers here, since ${since}. It keeps 10,000 in memory; they end with it. Times are of ${zone}.`,
  back: "Developers",
  refresh: "Look again",
  when: "When",
  took: "Took",
  ms: (ms: number) => `${ms} ms`,
  what: "Request",
  noRoute: "no such path",
  caller: "Caller",
  callerHint: "a part of the name",
  withoutConsole: "Without the console's own requests",
  at: (pointer: string) => `at ${pointer}`,
  lacked: (scope: string) => `lacks ${scope}`,
  nobody: "nobody known",
  answer: "Answer",
  ids: "Ids",
  requestId: "Request id",
  status: "Answers",
  statuses: {
    "": "All",
    "2xx": "Done (2xx)",
    "4xx": "Refused (4xx)",
    "5xx": "Failed (5xx)"
  },
  code: "Problem code",
  codeHint: "idempotency_conflict",
  posted: (entries: ReadonlyArray<string>) => `posted ${entries.join(", ")}`,
  reservation: (id: string) => `reservation ${id}`,
  inBody: (id: string) => `in the body ${id}`,
  trace: (id: string) => `trace ${id}`,
  none: "No requests match the filters",
  noneHint: "Other services of the database have logs of their own.",
  clear: "Clear filters",
  explain: "What this code means"
})
