/** The guests' page: asks who the programme is and who the guest is, then shows a screen. */
import { render } from "preact"
import { useEffect, useState } from "preact/hooks"
import { App } from "./App.tsx"
import { apiOf, NoNetwork, Refusal } from "./api.ts"
import "./guest.css"
import { dress } from "./dress.ts"
import { keepPage } from "./kept.ts"
import { chosen, languages } from "./language.ts"
import { programOf } from "./place.ts"
import type { PageFacts } from "./wire.ts"

const programId = programOf(location.pathname)
const api = apiOf(programId)
const ownLanguage = chosen(["en", "de"], ...navigator.languages)
const words = languages[ownLanguage]

type Found =
  | { readonly is: "loading" | "none" | "offline" | "busy" }
  | { readonly is: "page"; readonly facts: PageFacts }

const find = async (): Promise<Found> => {
  try {
    const facts = await api.get<PageFacts>("/page")
    dress(facts)
    // A browser that keeps nothing shows the page all the same.
    keepPage(facts).catch(() => undefined)
    return { is: "page", facts }
  } catch (error) {
    if (error instanceof NoNetwork) return { is: "offline" }
    return { is: error instanceof Refusal && error.status === 404 ? "none" : "busy" }
  }
}

const Page = () => {
  const [found, setFound] = useState<Found>({ is: "loading" })
  const look = () => void find().then(setFound)
  useEffect(look, [])
  if (found.is === "page") return <App api={api} facts={found.facts} />
  if (found.is === "loading") return <p class="wait">{words.loading}</p>
  return (
    <main>
      <h1>{found.is === "none" ? words.none.title : found.is === "busy" ? words.errors.busy : words.errors.network}</h1>
      {found.is === "busy" ? undefined : <p>{found.is === "none" ? words.none.text : words.offlineNone}</p>}
      {found.is === "none" ? undefined : (
        <p>
          <button type="button" class="plain" onClick={look}>
            {words.retry}
          </button>
        </p>
      )}
    </main>
  )
}

document.documentElement.lang = ownLanguage
const root = document.getElementById("root")
if (root !== null) render(<Page />, root)
