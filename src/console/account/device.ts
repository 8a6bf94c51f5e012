/** This browser and its system in words, such as “Chrome on Linux”: a name for a passkey. */
import { staffStrings } from "../shared/staffStrings.ts"

const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"]
]

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "Mac"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"]
]

const found = (names: ReadonlyArray<readonly [RegExp, string]>): string | undefined =>
  names.find(([pattern]) => pattern.test(navigator.userAgent))?.[1]

const text = staffStrings.device

export const thisDevice = (): string => {
  const browser = found(browsers) ?? text.browser
  const system = found(systems)
  return system === undefined ? browser : text.on(browser, system)
}
