/** The routes of the pages. Each page is a separate file, which is loaded when it is first opened. */
import { createRootRoute, createRoute, createRouter, redirect, retainSearchParams } from "@tanstack/react-router"
import { keepAnswer, signedInPath } from "../account/signedIn.ts"
import { auditSearch } from "../audit/auditSearch.ts"
import { counterSearch } from "../counter/counterSearch.ts"
import { deliveriesSearch } from "../developers/deliveriesSearch.ts"
import { requestsSearch } from "../developers/requestsSearch.ts"
import { financeSearch } from "../finance/financeSearch.ts"
import { ledgerSearch } from "../guests/ledgerSearch.ts"
import { membersSearch } from "../guests/membersSearch.ts"
import { programmeSearch } from "../programme/programmeSearch.ts"
import { later } from "../shared/Later.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Empty, Failed, LoadingPage } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { figuresPath, todaySearch } from "../today/todaySearch.ts"
import { invitationPath, Shell } from "./Shell.tsx"

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
  // All figures were here, and addresses of theirs are kept in bookmarks.
  beforeLoad: ({ search }) => {
    if (Object.keys(todaySearch({ ...search })).length > 0) throw redirect({ to: figuresPath, search, replace: true })
  },
  component: later(() => import("../today/Today.tsx"), "Today")
})

const figures = createRoute({
  getParentRoute: () => root,
  path: figuresPath,
  validateSearch: todaySearch,
  component: later(() => import("../today/AllFigures.tsx"), "AllFigures")
})

const restaurants = createRoute({
  getParentRoute: () => root,
  path: "/restaurants",
  component: later(() => import("../restaurants/OwnRestaurants.tsx"), "OwnRestaurants")
})

const members = createRoute({
  getParentRoute: () => root,
  path: "/members",
  validateSearch: membersSearch,
  component: later(() => import("../guests/Members.tsx"), "Members")
})

const member = createRoute({
  getParentRoute: () => root,
  path: "/members/$program_id/$member_id",
  validateSearch: ledgerSearch,
  component: later(() => import("../guests/Member.tsx"), "Member")
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
  component: later(() => import("../people/People.tsx"), "People")
})

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: later(() => import("../account/Account.tsx"), "Account")
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: signedInPath,
  component: later(() => import("../account/SignedIn.tsx"), "SignedIn")
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: invitationPath,
  component: later(() => import("../account/Invitation.tsx"), "Invitation")
})

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: auditSearch,
  component: later(() => import("../audit/Audit.tsx"), "Audit")
})

const developers = createRoute({
  getParentRoute: () => root,
  path: "/developers",
  component: later(() => import("../developers/Developers.tsx"), "Developers")
})

const requests = createRoute({
  getParentRoute: () => root,
  path: "/developers/requests",
  validateSearch: requestsSearch,
  component: later(() => import("../developers/Requests.tsx"), "Requests")
})

const connector = createRoute({
  getParentRoute: () => root,
  path: "/developers/connectors/$connector_id",
  validateSearch: deliveriesSearch,
  component: later(() => import("../developers/Connector.tsx"), "Connector")
})

const till = createRoute({
  getParentRoute: () => root,
  path: "/developers/tills/$connection_id",
  component: later(() => import("../developers/Till.tsx"), "Till")
})

const programme = createRoute({
  getParentRoute: () => root,
  path: "/programme",
  validateSearch: programmeSearch,
  component: later(() => import("../programme/Programme.tsx"), "Programme")
})

const audience = createRoute({
  getParentRoute: () => root,
  path: "/audience",
  component: later(() => import("../audience/Audience.tsx"), "Audience")
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
  component: later(() => import("../audience/Segments.tsx"), "Segments")
})

const newSegment = createRoute({
  getParentRoute: () => audience,
  path: "segments/new",
  component: later(() => import("../audience/Segment.tsx"), "NewSegment")
})

const segment = createRoute({
  getParentRoute: () => audience,
  path: "segments/$segment_id",
  component: later(() => import("../audience/Segment.tsx"), "Segment")
})

const campaigns = createRoute({
  getParentRoute: () => audience,
  path: "campaigns",
  component: later(() => import("../audience/Campaigns.tsx"), "Campaigns")
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
  component: later(() => import("../audience/CampaignForm.tsx"), "NewCampaign")
})

const campaign = createRoute({
  getParentRoute: () => audience,
  path: "campaigns/$campaign_id",
  validateSearch: ({ run }: Record<string, unknown>): { readonly run?: string } =>
    typeof run === "string" ? { run } : {},
  component: later(() => import("../audience/Campaign.tsx"), "Campaign")
})

const changedCampaign = createRoute({
  getParentRoute: () => audience,
  path: "campaigns/$campaign_id/edit",
  component: later(() => import("../audience/CampaignForm.tsx"), "ChangedCampaign")
})

const imports = createRoute({
  getParentRoute: () => audience,
  path: "imports",
  component: later(() => import("../imports/Imports.tsx"), "Imports")
})

const oneImport = createRoute({
  getParentRoute: () => audience,
  path: "imports/$import_id",
  /** `again`: the same file was imported before. */
  validateSearch: ({ again }: Record<string, unknown>): { readonly again?: true } => (again === true ? { again } : {}),
  component: later(() => import("../imports/Import.tsx"), "Import")
})

const move = createRoute({
  getParentRoute: () => audience,
  path: "imports/moves/$run_id",
  component: later(() => import("../imports/MoveRun.tsx"), "MoveRun")
})

/** A page whose file is later has its places shown, ms: on a slow line nobody wonders whether the press was taken. */
const pendingMs = 150

export const router = createRouter({
  routeTree: root.addChildren([
    begin,
    today,
    figures,
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
  defaultPendingComponent: LoadingPage,
  defaultPendingMs: pendingMs,
  defaultPendingMinMs: 0,
  defaultErrorComponent: ({ error }) => <Failed error={error} retry={() => location.reload()} />
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
