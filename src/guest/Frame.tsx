/** The parts around every screen: name, tabs, what was done, languages, links. */
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { useGuest } from "./guest.ts"
import { languages } from "./language.ts"
import type { Screen } from "./place.ts"
import type { Language } from "./wire.ts"

/** Drawn on 24 by 24, in the colour of the text. */
const icons = {
  home: "M4 11 12 4l8 7v9h-5v-6H9v6H4z",
  card: "M3 6h18v12H3zM3 10h18",
  claim: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6",
  history: "M12 4a8 8 0 1 1-8 8M12 8v4l3 2M4 5v5h5",
  account: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 21c0-5 4-7 8-7s8 2 8 7"
} as const

const Tabs = ({ screen }: { readonly screen: Screen }) => {
  const { facts, words } = useGuest()
  const open = screen in icons && (screen !== "claim" || facts.can_claim) ? screen : "home"
  return (
    <nav aria-label={words.tabs.label}>
      {(Object.keys(icons) as ReadonlyArray<keyof typeof icons>)
        .filter((name) => name !== "claim" || facts.can_claim)
        .map((name) => (
          <a key={name} href={`#${name}`} aria-current={name === open ? "page" : undefined}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={icons[name]} />
            </svg>
            {words.tabs[name]}
          </a>
        ))}
    </nav>
  )
}

const Languages = ({ onLanguage }: { readonly onLanguage: (language: Language) => void }) => {
  const { facts, language, words } = useGuest()
  const id = useId()
  if (facts.languages.length < 2) return null
  return (
    <p>
      <label for={id}>{words.languageLabel}</label>{" "}
      <select id={id} value={language} onChange={({ currentTarget }) => onLanguage(currentTarget.value as Language)}>
        {facts.languages.map((one) => (
          <option key={one} value={one} lang={one}>
            {languages[one].language}
          </option>
        ))}
      </select>
    </p>
  )
}

interface FrameProps {
  /** Undefined: nobody is signed in. */
  readonly screen: Screen | undefined
  readonly told: string
  readonly onLanguage: (language: Language) => void
  readonly children: ComponentChildren
}

export const Frame = ({ children, onLanguage, screen, told }: FrameProps) => {
  const { facts, words } = useGuest()
  return (
    <>
      <header>
        {facts.logo_url === undefined ? undefined : <img src={facts.logo_url} alt="" />}
        <p>{facts.name}</p>
      </header>
      {screen === undefined ? undefined : <Tabs screen={screen} />}
      <main>
        <p role="status" class={told === "" ? "told empty" : "told"}>
          {told}
        </p>
        {children}
      </main>
      <footer>
        <Languages onLanguage={onLanguage} />
        {facts.links.length === 0 ? undefined : (
          <ul aria-label={words.links}>
            {facts.links.map(({ label, url }) => (
              <li key={label}>
                <a href={url} rel="noreferrer">
                  {label}
                </a>
              </li>
            ))}
          </ul>
        )}
      </footer>
    </>
  )
}
