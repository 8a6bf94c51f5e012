/** The addresses of the pages. Each page is a file of its own, loaded when it is first opened. */
import { Anchor } from "@mantine/core"
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  retainSearchParams
} from "@tanstack/react-router"
import { Shell } from "../ui/Shell.tsx"
import { Empty, Failed, Loading } from "../ui/States.tsx"
import { strings } from "./strings.ts"

interface RootSearch {
  /** The programme that the pages are about. */
  readonly program?: string
}

const NotFound = () => (
  <Empty title={strings.states.notFound}>
    {strings.states.notFoundHint}{" "}
    <Anchor component={Link} to="/">
      {strings.states.toToday}
    </Anchor>
  </Empty>
)

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: ({ program }: Record<string, unknown>): RootSearch =>
    typeof program === "string" ? { program } : {},
  search: { middlewares: [retainSearchParams(["program"])] }
})

const today = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/Today.tsx"), "Today")
})

export const router = createRouter({
  routeTree: root.addChildren([today]),
  basepath: "/console",
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <Failed error={error} retry={() => location.reload()} />
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
