/** The browser and the system of a session, as its owner knows them. Pure. */

const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"]
]

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/iPhone|iPod/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"]
]

const firstNameOf = (names: ReadonlyArray<readonly [RegExp, string]>, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** Such as “Firefox on Windows”, from what a browser says of itself (`User-Agent`). */
export const deviceOf = (userAgent: string | undefined): string => {
  const browser = firstNameOf(browsers, userAgent ?? "") ?? "Unknown browser"
  const system = firstNameOf(systems, userAgent ?? "")
  return system === undefined ? browser : `${browser} on ${system}`
}
