/** Starts the console, a page that calls the operators' and the platform's surface with the contract's client. */
// First: keys are kept from the page's first script on.
import "./shared/form/typed.ts"
import "@mantine/core/styles.css"
import "./console.css"
import { createTheme, MantineProvider } from "@mantine/core"
import { focusManager, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { router } from "./app/router.tsx"
import { Failure } from "./shared/client.ts"
import { language } from "./shared/language.ts"
import { strings } from "./shared/strings.ts"

const theme = createTheme({
  components: {
    // In a narrow column of a table a badge would be cut off.
    Badge: {
      defaultProps: { tt: "none", miw: "fit-content" },
      styles: { root: { overflow: "visible" }, label: { overflow: "visible" } }
    },
    // Its default colour is nearly the page's.
    SegmentedControl: { styles: { root: { border: "1px solid var(--mantine-color-default-border)" } } },
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": strings.states.close } },
      styles: { title: { fontWeight: 700 } }
    }
  },
  respectReducedMotion: true,
  headings: { sizes: { h1: { fontSize: "1.75rem" } } },
  primaryColor: "indigo",
  autoContrast: true,
  primaryShade: { light: 9, dark: 8 }
})

/**
 * A page rests after so long without a hand at it, ms, as one in a hidden tab does: it refreshes nothing, so that the session
 * of an empty desk ends by idleness.
 */
const restMs = 10 * 60_000

let resting: ReturnType<typeof setTimeout> | undefined

const wake = (): void => {
  clearTimeout(resting)
  resting = setTimeout(() => focusManager.setFocused(false), restMs)
  focusManager.setFocused(undefined)
}

for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, wake, { passive: true })
wake()

/** Retries reads while the service is unavailable, but not refused ones. */
const isWorthRetrying = (failures: number, error: unknown): boolean =>
  failures < 3 && !(error instanceof Failure && error.problem !== undefined && error.problem.status < 500)

const queries = new QueryClient({
  defaultOptions: {
    // Calls fail at once without a network. Otherwise a change would wait, and be made when nobody expects it any more.
    queries: { retry: isWorthRetrying, staleTime: 5_000, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" }
  }
})

document.documentElement.lang = language
const element = document.getElementById("root")
if (element === null) throw new Error("index.html has an element for the page")
createRoot(element).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
)
