/** The page of one programme: who the guest is, which screen is open, in which language. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Api } from "./api.ts"
import { NoNetwork, Refusal } from "./api.ts"
import { Frame } from "./Frame.tsx"
import type { Around } from "./guest.ts"
import { Guests } from "./guest.ts"
import { dropCard, keepCard, keptCard } from "./kept.ts"
import { chosen, languages, shownIn } from "./language.ts"
import type { Screen } from "./place.ts"
import { placeOf } from "./place.ts"
import type { Stranger } from "./Screens.tsx"
import { Outside, Screens } from "./Screens.tsx"
import { LinkSignIn } from "./screens/SignIn.tsx"
import { Unsubscribe } from "./screens/Unsubscribe.tsx"
import type { Language, Me, PageFacts, Session } from "./wire.ts"

/** The person at the page. */
type Guest = Stranger | { readonly is: "known"; readonly session: Session; readonly me: Me }

interface Props {
  readonly api: Api
  readonly facts: PageFacts
}

/** A receipt's code outlives the way to the mailbox and back, in this tab alone. */
const claims = (programId: string) => {
  const key = `claim ${programId}`
  return {
    keep: (code: string) => sessionStorage.setItem(key, code),
    kept: () => sessionStorage.getItem(key) ?? "",
    drop: () => sessionStorage.removeItem(key)
  }
}

/** The screen and the secrets of the address. A secret leaves the address, and so the history, at once. */
const usePlace = (programId: string) => {
  const claim = useMemo(() => claims(programId), [programId])
  const [screen, setScreen] = useState<Screen>("home")
  const [link, setLink] = useState<string>()
  const [unsubscribe, setUnsubscribe] = useState<string>()
  const [receipts, setReceipts] = useState(0)
  useEffect(() => {
    const read = () => {
      const place = placeOf(location.hash)
      if (place.claim !== undefined) {
        claim.keep(place.claim)
        setReceipts((before) => before + 1)
      }
      if (place.link !== undefined) setLink(place.link)
      if (place.unsubscribe !== undefined) setUnsubscribe(place.unsubscribe)
      if ([place.claim, place.link, place.unsubscribe].some((secret) => secret !== undefined))
        history.replaceState(null, "", `${location.pathname}${location.search}#${place.screen}`)
      setScreen(place.screen)
    }
    read()
    addEventListener("hashchange", read)
    return () => removeEventListener("hashchange", read)
  }, [claim])
  return {
    claim: { ...claim, receipts },
    link,
    screen,
    spentLink: () => setLink(undefined),
    unsubscribe,
    unsubscribed: () => setUnsubscribe(undefined)
  }
}

const languageKey = "language"

/** The language of the page, and how it is chosen. */
const useLanguage = ({ languages: offered }: PageFacts, guest: Guest) => {
  const [own, setOwn] = useState(() => localStorage.getItem(languageKey) ?? undefined)
  const ofGuest = guest.is === "known" ? guest.me.member.language : undefined
  const language = chosen(offered, own, ...navigator.languages, ofGuest)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const choose = (next: Language): void => {
    localStorage.setItem(languageKey, next)
    setOwn(next)
  }
  return { choose, language }
}

const useGuestOf = ({ api, facts: { name, program_id } }: Props) => {
  const [guest, setGuest] = useState<Guest>({ is: "asked" })
  const load = useCallback(
    async (session: Session) => {
      api.as(session)
      const me = await api.get<Me>("/me")
      setGuest({ is: "known", session, me })
      if (me.card !== undefined)
        await keepCard(program_id, { value: me.card.value, name, at: new Date().toISOString() }).catch(() => undefined)
    },
    [api, name, program_id]
  )
  const end = useCallback(() => {
    api.as(undefined)
    setGuest({ is: "unknown" })
    void dropCard(program_id).catch(() => undefined)
  }, [api, program_id])
  const failed = useCallback(
    async (error: unknown) => {
      if (error instanceof NoNetwork) setGuest({ is: "offline", card: await keptCard(program_id) })
      else if (error instanceof Refusal && (error.status === 401 || error.status === 404)) end()
      else setGuest({ is: "failed" })
    },
    [end, program_id]
  )
  const begin = useCallback(async () => {
    try {
      await load(await api.get<Session>("/session"))
    } catch (error) {
      await failed(error)
    }
  }, [api, failed, load])
  useEffect(() => void begin(), [begin])
  return { begin, end, failed, guest, load, setGuest }
}

/** Reads the guest's things again where they may be old: on the way home, and when the page comes to the front. */
const useFresh = (
  guest: Guest,
  screen: Screen,
  load: (session: Session) => Promise<void>,
  failed: (error: unknown) => Promise<void>
) => {
  const session = guest.is === "known" ? guest.session : undefined
  const loaded = useRef<Session | undefined>(undefined)
  useEffect(() => {
    if (session === undefined) return
    const look = () => {
      if (document.visibilityState !== "visible") return
      // Where nothing answers, the view stays.
      void load(session).catch((error: unknown) => (error instanceof Refusal ? failed(error) : undefined))
    }
    // A new session comes with what is shown.
    if (loaded.current === session && screen === "home") look()
    loaded.current = session
    document.addEventListener("visibilitychange", look)
    return () => document.removeEventListener("visibilitychange", look)
  }, [failed, load, screen, session])
}

/** Opens a screen, and waits until it is there: a message belongs to it. */
const goTo = (screen: Screen): Promise<void> =>
  new Promise((done) => {
    if (location.hash === `#${screen}`) return done()
    addEventListener("hashchange", () => done(), { once: true })
    location.hash = screen
  })

/** A message belongs to the screen on which it was told, until something is pressed there. */
const useTold = (screen: Screen) => {
  const [told, say] = useState("")
  const last = useRef(screen)
  if (last.current !== screen) {
    last.current = screen
    if (told !== "") say("")
  }
  // The next attempt may end otherwise: a message of the former one would contradict it.
  useEffect(() => {
    const pressed = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest("a, button, summary") !== null) say("")
    }
    addEventListener("click", pressed, true)
    return () => removeEventListener("click", pressed, true)
  }, [])
  return { say, told }
}

export const App = ({ api, facts }: Props) => {
  const { begin, end, failed, guest, load, setGuest } = useGuestOf({ api, facts })
  const { claim, link, screen, spentLink, unsubscribe, unsubscribed } = usePlace(facts.program_id)
  const { choose, language } = useLanguage(facts, guest)
  const { say, told } = useTold(screen)
  useFresh(guest, screen, load, failed)
  const around: Around = {
    facts,
    api,
    words: languages[language],
    language,
    shown: shownIn(language, facts.time_zone),
    say,
    signedIn: async ({ had_account, session, stays }) => {
      // The code is spent by now: a form that stayed would call it wrong.
      await load(session).catch(failed)
      await goTo(claim.kept() === "" ? "home" : "claim")
      const { home, join } = languages[language]
      say([...(stays ? [home.stays] : []), ...(had_account ? [join.hadAccount] : [])].join(" "))
    },
    signedOut: () => {
      say("")
      end()
    }
  }
  const changeLanguage = (next: Language): void => {
    choose(next)
    // The page has changed already; mail follows once this arrives.
    if (guest.is === "known") void api.send("PATCH", "/profile", { language: next }).catch(() => undefined)
  }
  return (
    <Guests value={around}>
      <Frame screen={guest.is === "known" ? screen : undefined} told={told} onLanguage={changeLanguage}>
        {unsubscribe !== undefined ? (
          <Unsubscribe token={unsubscribe} onDone={unsubscribed} />
        ) : link !== undefined && guest.is !== "asked" ? (
          <LinkSignIn token={link} onDone={spentLink} />
        ) : guest.is === "known" ? (
          <Screens
            screen={screen}
            claim={claim}
            me={guest.me}
            session={guest.session}
            reload={() => load(guest.session)}
            onSession={(session) => {
              api.as(session)
              setGuest({ ...guest, session })
            }}
          />
        ) : (
          <Outside guest={guest} screen={screen} isClaiming={claim.kept() !== ""} onRetry={() => void begin()} />
        )}
      </Frame>
    </Guests>
  )
}
