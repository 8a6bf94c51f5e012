/**
 * Finds the first place where a text is not JSON (RFC 8259) or repeats a name in
 * an object, for people who edit files by hand: `JSON.parse` often names the
 * character but not its place, and keeps only the last of equal names.
 */

type Expected =
  | "a value"
  | "a value or ]"
  | "a property name"
  | "a property name or }"
  | "another property name"
  | "a colon"
  | "a comma or end"
  | "the end"

const space = /[ \t\n\r]*/y
/** A string has escapes, and any character from U+0020 on except quotation mark and backslash. */
const token =
  /[{}[\],:]|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** A list, or the names of an object so far. */
type Open = "[" | Set<string>

/** The expectation after a token, given the one before it; undefined if the token is not allowed there. */
const after = (found: string, expected: Expected, open: Array<Open>): Expected | undefined => {
  const completed = (): Expected => (open.length === 0 ? "the end" : "a comma or end")
  const inside = open.at(-1)
  const isValue = expected === "a value" || expected === "a value or ]"
  switch (found) {
    case "{":
    case "[":
      if (!isValue) return undefined
      open.push(found === "[" ? found : new Set())
      return found === "{" ? "a property name or }" : "a value or ]"
    case "}":
      if (!(inside instanceof Set) || (expected !== "a property name or }" && expected !== "a comma or end"))
        return undefined
      open.pop()
      return completed()
    case "]":
      if (inside !== "[" || (expected !== "a value or ]" && expected !== "a comma or end")) return undefined
      open.pop()
      return completed()
    case ",":
      if (expected !== "a comma or end") return undefined
      return inside instanceof Set ? "a property name" : "a value"
    case ":":
      return expected === "a colon" ? "a value" : undefined
  }
  if (isValue) return completed()
  return found.startsWith('"') && expected.startsWith("a property name") ? "a colon" : undefined
}

/** True if a property's name is new to its object. */
const isNewName = (found: string, inside: Open | undefined): boolean => {
  if (!(inside instanceof Set)) return true
  const name = JSON.parse(found) as string
  const isNew = !inside.has(name)
  inside.add(name)
  return isNew
}

const matched = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}

/** Place and reason of the first fault, `line 2, column 17: a value is expected`; undefined for valid JSON without repeated names. */
export const firstFault = (text: string): string | undefined => {
  const open: Array<Open> = []
  let expected: Expected = "a value"
  let at = 0
  while (true) {
    at += matched(space, text, at).length
    if (at === text.length && expected === "the end") return undefined
    const found = matched(token, text, at)
    const next: Expected | undefined = found === "" ? undefined : after(found, expected, open)
    if (next === undefined) break
    expected = next === "a colon" && !isNewName(found, open.at(-1)) ? "another property name" : next
    if (expected === "another property name") break
    at += found.length
  }
  const before = text.slice(0, at).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${expected} is expected`
}
