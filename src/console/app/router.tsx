/** The routes of the pages. Each page is a separate file, which is loaded when it is first opened. */
import { createRootRoute, createRoute, createRouter, redirect, retainSearchParams } from "@tanstack/react-router"
import { counterSearch } from "../counter/counterSearch.ts"
import { financeSearch } from "../finance/financeSearch.ts"
import { later } from "../ui/Later.tsx"
import { PageLink } from "../ui/PageLink.tsx"
import { invitationPath, Shell } from "../ui/Shell.tsx"
import { Empty, Failed, Loading } from "../ui/States.tsx"
import { auditSearch } from "./auditSearch.ts"
import { deliveriesSearch } from "./deliveriesSearch.ts"
import { ledgerSearch } from "./ledgerSearch.ts"
import { membersSearch } from "./membersSearch.ts"
import { programmeSearch } from "./programmeSearch.ts"
import { requestsSearch } from "./requestsSearch.ts"
import { keepAnswer, signedInPath } from "./signedIn.ts"
import { strings } from "./strings.ts"
import { todaySearch } from "./todaySearch.ts"

keepAnswer()

interface RootSearch {
  /** The programme of the pages. */
  readonly program?: string
}

const NotFound = () => (
  <Empty title={strings.states.notFound}>
    {strings.states.notFoundHint}{" "}
    <PageLink to="/" size="md" underline="always">
      {strings.states.toFirst}
    </PageLink>
  </Empty>
)

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: ({ program }: Record<string, unknown>): RootSearch =>
    typeof program === "string" ? { program } : {},
  search: { middlewares: [retainSearchParams(["program"])] }
})

/** The frame leads from here to the page that the session begins with. */
const begin = createRoute({
  getParentRoute: () => root,
  path: "/",
  // Addresses of Today's figures were these, and are kept in bookmarks.
  validateSearch: todaySearch
})

const today = createRoute({
  getParentRoute: () => root,
  path: "/today",
  validateSearch: todaySearch,
  component: later(() => import("../pages/Today.tsx"), "Today")
})

const restaurants = createRoute({
  getParentRoute: () => root,
  path: "/restaurants",
  component: later(() => import("../pages/OwnRestaurants.tsx"), "OwnRestaurants")
})

const members = createRoute({
  getParentRoute: () => root,
  path: "/members",
  validateSearch: membersSearch,
  component: later(() => import("../pages/Members.tsx"), "Members")
})

const member = createRoute({
  getParentRoute: () => root,
  path: "/members/$program_id/$member_id",
  validateSearch: ledgerSearch,
  component: later(() => import("../pages/Member.tsx"), "Member")
})

const finance = createRoute({
  getParentRoute: () => root,
  path: "/finance",
  validateSearch: financeSearch,
  component: later(() => import("../finance/Finance.tsx"), "Finance")
})

const service = createRoute({
  getParentRoute: () => root,
  path: "/service",
  component: later(() => import("../service/Service.tsx"), "Service")
})

const counter = createRoute({
  getParentRoute: () => root,
  path: "/counter",
  validateSearch: counterSearch,
  component: later(() => import("../counter/Counter.tsx"), "Counter")
})

const people = createRoute({
  getParentRoute: () => root,
  path: "/people",
  component: later(() => import("../pages/People.tsx"), "People")
})

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: later(() => import("../pages/Account.tsx"), "Account")
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: signedInPath,
  component: later(() => import("../pages/SignedIn.tsx"), "SignedIn")
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: invitationPath,
  component: later(() => import("../pages/Invitation.tsx"), "Invitation")
})

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: auditSearch,
  component: later(() => import("../pages/Audit.tsx"), "Audit")
})

const developers = createRoute({
  getParentRoute: () => root,
  path: "/developers",
  component: later(() => import("../pages/Developers.tsx"), "Developers")
})

const requests = createRoute({
  getParentRoute: () => root,
  path: "/developers/requests",
  validateSearch: requestsSearch,
  component: later(() => import("../pages/Requests.tsx"), "Requests")
})

const connector = createRoute({
  getParentRoute: () => root,
  path: "/developers/connectors/$connector_id",
  validateSearch: deliveriesSearch,
  component: later(() => import("../pages/Connector.tsx"), "Connector")
})

const till = createRoute({
  getParentRoute: () => root,
  path: "/developers/tills/$connection_id",
  component: later(() => import("../pages/Till.tsx"), "Till")
})

const programme = createRoute({
  getParentRoute: () => root,
  path: "/programme",
  validateSearch: programmeSearch,
  component: later(() => import("../pages/Programme.tsx"), "Programme")
})

const audience = createRoute({
  getParentRoute: () => root,
  path: "/audience",
  component: later(() => import("../pages/Audience.tsx"), "Audience")
})

const audienceIndex = createRoute({
  getParentRoute: () => audience,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/audience/segments", replace: true })
  }
})

const segments = createRoute({
  getParentRoute: () => audience,
  path: "segments",
  component: later(() => import("../pages/Segments.tsx"), "Segments")
})

const newSegment = createRoute({
  getParentRoute: () => audience,
  path: "segments/new",
  component: later(() => import("../pages/Segment.tsx"), "NewSegment")
})

const segment = createRoute({
  getParentRoute: () => audience,
  path: "segments/$segment_id",
  component: later(() => import("../pages/Segment.tsx"), "Segment")
})

const campaigns = createRoute({
  getParentRoute: () => audience,
  path: "campaigns",
  component: later(() => import("../pages/Campaigns.tsx"), "Campaigns")
})

const newCampaign = createRoute({
  getParentRoute: () => audience,
  path: "campaigns/new",
  validateSearch: ({
    copy,
    segment
  }: Record<string, unknown>): { readonly copy?: string; readonly segment?: string } => ({
    ...(typeof copy === "string" ? { copy } : {}),
    ...(typeof segment === "string" ? { segment } : {})
  }),
  component: later(() => import("../pages/CampaignForm.tsx"), "NewCampaign")
})

const campaign = createRoute({
  getParentRoute: () => audience,
  path: "campaigns/$campaign_id",
  validateSearch: ({ run }: Record<string, unknown>): { readonly run?: string } =>
    typeof run === "string" ? { run } : {},
  component: later(() => import("../pages/Campaign.tsx"), "Campaign")
})

const changedCampaign = createRoute({
  getParentRoute: () => audience,
  path: "campaigns/$campaign_id/edit",
  component: later(() => import("../pages/CampaignForm.tsx"), "ChangedCampaign")
})

const imports = createRoute({
  getParentRoute: () => audience,
  path: "imports",
  component: later(() => import("../pages/Imports.tsx"), "Imports")
})

const oneImport = createRoute({
  getParentRoute: () => audience,
  path: "imports/$import_id",
  /** `again`: the same file was imported before. */
  validateSearch: ({ again }: Record<string, unknown>): { readonly again?: true } => (again === true ? { again } : {}),
  component: later(() => import("../pages/Import.tsx"), "Import")
})

const move = createRoute({
  getParentRoute: () => audience,
  path: "imports/moves/$run_id",
  component: later(() => import("../pages/MoveRun.tsx"), "MoveRun")
})

export const router = createRouter({
  routeTree: root.addChildren([
    begin,
    today,
    counter,
    restaurants,
    members,
    member,
    audience.addChildren([
      audienceIndex,
      segments,
      newSegment,
      segment,
      campaigns,
      newCampaign,
      campaign,
      changedCampaign,
      imports,
      oneImport,
      move
    ]),
    programme,
    developers,
    requests,
    connector,
    till,
    finance,
    service,
    people,
    account,
    invitation,
    signedIn,
    audit
  ]),
  basepath: "/console",
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <Failed error={error} retry={() => location.reload()} />
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
