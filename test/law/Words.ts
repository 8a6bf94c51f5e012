/** Words of comments, and the length of files. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Finding } from "./Finding.ts"

const root = path.join(import.meta.dirname, "..", "..")
const mostLines = 450

/** A comment's subject comes first. */
const opening = /^(?:What|Who|Whom|Whose|Of which)\b/

/** Words that have plainer ones, and names that say nothing. */
const banned: ReadonlyArray<readonly [word: RegExp, instead: string]> = [
  [/\bthat which\b/i, "what, or the thing's name"],
  [/\bwhoever\b/i, "who it is"],
  [/\bfor want of\b/i, "without"],
  [/\bof which\b/i, "a sentence of its own"],
  [/\bbunch\b/i, "group, batch"],
  [/\b(?:giveWay|onItsWay|vouch|Doubtful)\b/, "what it sets or means"]
]

/** A line's comment, without its marks. `isFirst` where a comment begins. */
const commentsOf = (text: string): ReadonlyArray<{ line: number; words: string; isFirst: boolean }> => {
  let isInside = false
  let wasLine = false
  let wasOpened = false
  return text.split("\n").flatMap((code, place) => {
    const [, mark = "", words = ""] = /^\s*(\/\*\*?|\/\/|\*(?!\/))\s?(.*)$/.exec(code) ?? []
    const isComment = mark === "*" ? isInside : mark !== ""
    const isFirst = mark.startsWith("/*") || (mark === "//" && !wasLine) || wasOpened
    if (mark.startsWith("/*")) isInside = true
    if (code.includes("*/")) isInside = false
    wasLine = mark === "//"
    wasOpened = mark.startsWith("/*") && words === ""
    if (isComment) return [{ line: place + 1, words, isFirst }]
    const [, trailing] = /\s\/\/ (.*)$/.exec(code) ?? []
    return trailing === undefined ? [] : [{ line: place + 1, words: trailing, isFirst: true }]
  })
}

export const findings = (): ReadonlyArray<Finding> =>
  ["src", "test"]
    .flatMap((folder) =>
      fs.readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`)
    )
    .filter((file) => /\.tsx?$/.test(file) && !/\/generated\/|\/node_modules\/|^test\/law\/Words\.ts$/.test(file))
    .flatMap((file) => {
      const text = fs.readFileSync(path.join(root, file), "utf8")
      const lines = text.split("\n").length - 1
      const long =
        lines > mostLines && file.startsWith("src/")
          ? [{ rule: "lines of a file", place: file, text: `${lines} lines, most are ${mostLines}` }]
          : []
      const comments = commentsOf(text).flatMap(({ line, words, isFirst }) => [
        ...(isFirst && opening.test(words)
          ? [{ rule: "opening of a comment", place: `${file}:${line}`, text: `subject first: ${words}` }]
          : []),
        ...banned.flatMap(([word, instead]) => {
          const [found] = word.exec(words) ?? []
          return found === undefined
            ? []
            : [{ rule: "banned words", place: `${file}:${line}`, text: `"${found}": say ${instead}` }]
        })
      ])
      return [...long, ...comments]
    })
