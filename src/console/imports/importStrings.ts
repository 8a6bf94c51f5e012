/** Every English text about imports. Apart from the others: the first page does not load them. */
import { number } from "../shared/format.ts"
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const importStrings = texts("import", {
  mayNotGive: (roles: string) =>
    `Opening balances give points, which you may not do: leave that column empty. Who may give them: ${roles}.`,
  new: "Import members from a spreadsheet",
  rules: (rows: string, size: string): ReadonlyArray<string> => [
    `Use a CSV file with at most ${rows} rows and ${size}. The first line names the columns, as in the template or with names of your own.`,
    "Each row changes the member with its member id, customer number or card number, or enrols a new one. An empty cell changes nothing.",
    "An opening balance is credited only once per member."
  ],
  template: "Download a template",
  choose: "Choose a file",
  drop: "Drop a CSV file here, or",
  refused: "This file cannot be imported",
  unreadable: "The browser could not read the file. It may have been moved or changed; choose it again.",
  sizes: {
    bytes: (count: string) => `${count} bytes`,
    kilobytes: (count: string) => `${count} kB`,
    megabytes: (count: string) => `${count} MB`
  },
  tooLarge: (size: string, rows: string | undefined, mostSize: string, mostRows: string) =>
    `The file has ${rows === undefined ? "" : `${rows} rows and `}${size}. At most ${mostRows} rows and ${mostSize} can be imported from one file. Split it into several files, each with the first line.`,
  partTooLarge: "A row of the file is too large to be sent. Shorten its cells.",
  notText: "This is not a CSV file. In your spreadsheet, save it as “CSV UTF-8 (comma separated)”.",
  notCsv: (line: string) =>
    `Line ${line} has a quotation mark that is not closed or is inside a cell. Quote the whole cell, and double the quotation marks inside it.`,
  empty: "The file has no rows below the column names.",
  file: (message: string) => `The file ${message}.`,
  useTemplate: "Compare it with the template, then choose it again.",
  cutOff:
    "No result arrived. Rows already imported are kept. Import the file again in a few seconds: it continues where it stopped and imports no row twice.",
  has: (rows: number, columns: number, size: string) =>
    `${number(rows)} ${count(rows, "row", "rows")}, ${columns} ${count(columns, "column", "columns")}, ${size}`,
  readAs: (encoding: string, separator: string) =>
    `Read as ${encoding}, separated by ${separator}. Check that accented letters look right.`,
  encodings: {
    "utf-8": "UTF-8",
    "utf-16le": "UTF-16",
    "utf-16be": "UTF-16",
    "windows-1252": "Windows-1252 (Western European)"
  },
  separators: { ",": "commas", ";": "semicolons", "\t": "tabs" },
  firstRows: "First rows",
  mapping: {
    title: "Your columns",
    hint: "Choose what each column is. Columns that you leave out are not imported.",
    column: "Column",
    cells: "First cells",
    field: "Is imported as",
    unnamed: (letters: string) => `Column ${letters}`,
    hasHeader: "The first row has the names of the columns",
    firstIsMember: "It looks like a member. If it is one, leave this empty: the row is then imported too.",
    fieldFor: (column: string) => `“${column}” is imported as`,
    leaveOut: "Leave out",
    fields: {
      first_name: "First name",
      last_name: "Last name",
      member_id: "Member id (member_id)",
      external_id: "Customer number (external_id)",
      display_name: "Full name (display_name)",
      email: "E-mail address (email)",
      phone: "Telephone (phone)",
      birth_date: "Date of birth (birth_date)",
      marketing_consent: "Consent to marketing (marketing_consent)",
      consent_source: "Source of the consent (consent_source)",
      attributes_json: "Attributes as JSON (attributes_json)",
      identity_type: "Type of the card (identity_type)",
      identity_value: "Card number (identity_value)",
      identity_issuer: "Issuer of the card (identity_issuer)",
      opening_balance: "Opening balance (opening_balance)",
      attribute: "Attribute of your own"
    },
    attribute: "Name of the attribute",
    attributeFor: (column: string) => `Name of the attribute for “${column}”`,
    noAttribute: "Name each attribute, such as favourite_dish. Rules of segments use this name.",
    sameAttribute: "Two attributes have the same name. Give each another one.",
    twoAttributes: "Choose either attributes of your own, or attributes as JSON.",
    namedByEmail: "Use the e-mail address as the customer number",
    namedByEmailHint:
      "Do so if the file has no number: a guest whose address changes is then a new guest. Rows with the same address are the same guest.",
    twice: (field: string) => `Two columns are imported as “${field}”. Leave one out.`,
    twoNames: "Choose either the full name, or the first and last name.",
    nobody:
      "Choose the column of the member id, the customer number or the card number: it tells the members apart. A file with e-mail addresses alone can use them as customer numbers.",
    noCard: "Choose the column of the card number, or leave out the type and the issuer of the card.",
    cardType: "Choose the type of the card numbers.",
    callingCode: "Write the country code as a plus and up to three digits, such as +49.",
    dateOrder: "Order of dates",
    dateOrders: {
      DMY: "Day, month, year (31.12.1990)",
      MDY: "Month, day, year (12/31/1990)",
      YMD: "Year, month, day (1990-12-31)"
    },
    unsureDates: "The dates in the file do not tell their order. Look at some that you know.",
    code: "Country code of telephone numbers without one",
    codeHint: "Such as +49. Empty: these numbers stay as they are, and their rows have errors.",
    points: "How points are written",
    pointsUnknown: "Please choose",
    pointsWritten: {
      ".": "1.000 is a thousand, 1,5 is one and a half",
      ",": "1,000 is a thousand, 1.5 is one and a half"
    },
    thousands: "Choose how points are written: 1.000 is a thousand to some and one to others.",
    cardTypeOf: "Type of the card numbers",
    cardTypes: {
      loyalty_id: "Loyalty card",
      token: "Token of a payment card or a device",
      external: "Number of another system"
    },
    yes: "Words for consent",
    no: "Words for no consent",
    wordsHint: "Separated by commas. An empty cell changes nothing.",
    unknownWords: (words: ReadonlyArray<string>) =>
      `In neither list, so that their rows have errors: ${words
        .slice(0, 5)
        .map((word) => `“${word}”`)
        .join(", ")}${words.length > 5 ? ` and ${words.length - 5} more` : ""}.`,
    check: "Check"
  },
  andMore: (rows: number) => `and ${number(rows)} more ${count(rows, "row", "rows")}`,
  send: (whole: number, partly: number) =>
    whole === 0
      ? `Import ${number(partly)} ${count(partly, "row", "rows")} in part`
      : `Import ${number(whole)} ${count(whole, "row", "rows")}${partly === 0 ? "" : `, and ${number(partly)} in part`}`,
  checking: "Checking the file. Nothing is imported yet.",
  checked: (rows: string, of: string) => `${rows} of ${of} rows are checked.`,
  sending: (rows: string, of: string) =>
    `${rows} of ${of} rows are sent. Stay on this page until all are; if you leave it, choose the file again to go on.`,
  stopped: (rows: string, of: string) =>
    `${rows} of ${of} rows are sent and done. The others are not imported yet; none is imported twice.`,
  goOn: "Continue",
  allSent: (rows: string) => `All ${rows} rows of the file are sent.`,
  rowsAgain: (rows: string) =>
    `${rows} of these rows were imported before, so nothing was imported now for them. Their earlier result is counted here.`,
  part: (name: string, part: number, of: number) => `${name} (part ${part} of ${of})`,
  foreseen: "What this import will do",
  wouldCreate: "New members",
  wouldUpdate: "Known members",
  wouldCredit: "Points to credit in total",
  wouldFail: "Rows with errors",
  noFaults: "Every row can be imported. Nothing is imported yet.",
  allFail: "No row can be imported as it is. Nothing is imported yet. Correct the file and choose it again.",
  someFail: (rows: number, whole: number, partly: number, left: number) =>
    `Of ${number(rows)} rows, ${[
      `${number(whole)} ${count(whole, "has", "have")} no error`,
      ...(partly === 0 ? [] : [`${number(partly)} ${count(partly, "is", "are")} imported in part, as the error says`]),
      ...(left === 0 ? [] : [`${number(left)} ${count(left, "is", "are")} left out`])
    ].join("; ")}. Nothing is imported yet.`,
  warnings: "Perhaps a mistake",
  warning: "What to look at",
  repeated: "Rows of the same member",
  repeatedRows:
    "Some members are in the file more than once. Their rows are imported in the order of the file: a later row overwrites what an earlier one wrote, and an opening balance is credited once.",
  repeats: "The same",
  repeatedIn: (column: string) => `“${column}”`,
  repeatedOpening: "An opening balance for one member",
  nobody: "The row has no member id, customer number or card number.",
  nobodyIn: (columns: ReadonlyArray<string>) =>
    `The row has nothing in ${columns.map((column) => `“${column}”`).join(" or ")}, so that it is nobody's.`,
  uneven: "The row has more or fewer cells than there are columns.",
  noDate: (column: string, order: string) => `“${column}” is no date in the chosen order: ${order}.`,
  noConsent: (column: string) => `“${column}” is neither a word for consent nor one for no consent.`,
  faultGroups: "Errors by kind",
  times: "Times",
  where: "Where",
  rowNumber: (row: string) => `Row ${row}`,
  former: "Earlier imports",
  none: "No imports yet",
  noneHint: "This page keeps the result of each import, with its failed rows.",
  when: "Started",
  fileName: "File",
  by: "Imported by",
  sentBy: (by: string, file: string | undefined) =>
    file === undefined ? `Imported by ${by}` : `${file}, imported by ${by}`,
  status: "Result",
  statuses: { completed: "All rows imported", partial: "Some rows failed", failed: "No rows imported" },
  underWay: "Not finished",
  takenBack: "Taken back",
  takenBackAt: (at: string, by: string) => `Taken back on ${at} by ${by}.`,
  takeBack: {
    label: "Take the import back",
    preview: "What will change",
    erased: (isDone: boolean, n: number, shown: string) =>
      `${shown} ${count(n, "guest", "guests")} who only came with it ${isDone ? count(n, "was", "were") : count(n, "is", "are")} erased.`,
    points: (isDone: boolean, taken: string, credited: string) =>
      `${taken} of ${credited} credited points ${isDone ? "were" : "are"} taken back.`,
    left: (points: string) => `${points} points stay: they were spent, are held at a till, or have expired.`,
    forGood: "This cannot be undone. Guests who stay get no second opening balance.",
    kept: {
      was_there: (n: number, shown: string) =>
        `${shown} ${count(n, "guest was", "guests were")} there before. What the file changed of them stays.`,
      merged: (n: number, shown: string) =>
        `${shown} ${count(n, "guest was", "guests were")} merged since, and ${count(n, "stays", "stay")}.`,
      ordered: (n: number, shown: string) =>
        `${shown} ${count(n, "guest has", "guests have")} ordered since, and ${count(n, "stays", "stay")}.`,
      spent: (n: number, shown: string) =>
        `${shown} ${count(n, "guest has", "guests have")} spent points or a reward since, and ${count(n, "stays", "stay")}.`,
      changed: (n: number, shown: string) =>
        `${shown} ${count(n, "guest was", "guests were")} changed since, and ${count(n, "stays", "stay")}.`,
      not_active: (n: number, shown: string) =>
        `${shown} ${count(n, "guest is", "guests are")} suspended or closed, and ${count(n, "stays", "stay")}.`
    },
    pointsOf: (taken: string, credited: string) => `${taken} of ${credited} points`,
    more: (rest: string) => `and ${rest} more`,
    done: (erased: number, shown: string, points: string) =>
      `Taken back: ${shown} ${count(erased, "guest", "guests")} erased, ${points} points`
  },
  submitted: "Rows",
  created: "New members",
  updated: "Known members",
  failed: "Failed",
  all: "All imports",
  of: (at: string) => `Import of ${at}`,
  again:
    "This file was imported before, so nothing was imported now. This is the earlier result. A file with any change counts as new.",
  unfinished:
    "The import is running, or it was interrupted. If the figures stop changing, import the same file again: it continues where it stopped and imports no row twice.",
  result: "Result",
  faults: "Rows that failed",
  rowsCount:
    "Rows are numbered as in the file: the column names are row 1. Correct these rows and import them in a new file.",
  row: "Row",
  column: "Column",
  fault: "Error",
  rowFault: (detail: string) => `The row ${detail}.`,
  cellFault: (column: string, detail: string) => `“${column}” ${detail}.`,
  csv: "Download as CSV",
  failedRows: "Download the failed rows",
  rowsDeleted: "This import is so old that its errors, and what became of each row, are deleted. Its numbers stay."
})
