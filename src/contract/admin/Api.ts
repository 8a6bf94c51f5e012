/**
 * The HttpApi of `/admin/api/v1`: what operators and automation call. No part of
 * the protocol (contract/operators.md *Routes*). Each resource has a file of its own.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AuthOf, strict } from "../Access.ts"
import { protocolVersion } from "../protocol/Protocol.ts"
import { Account } from "./Account.ts"
import { Asks } from "./Asks.ts"
import { Attentions } from "./Attention.ts"
import { Audits } from "./Audit.ts"
import { Business } from "./Business.ts"
import { SandboxClock } from "./Clock.ts"
import { Connections } from "./Connections.ts"
import { SandboxFaults } from "./Faults.ts"
import { FinanceGroup } from "./Finance.ts"
import { Handovers } from "./Handovers.ts"
import { Limits } from "./Limits.ts"
import { Locations } from "./Locations.ts"
import { Logos } from "./Logos.ts"
import { Maintenances } from "./Maintenance.ts"
import { MemberExport } from "./MemberExport.ts"
import { MemberLists } from "./MemberList.ts"
import { MemberRewards } from "./MemberRewards.ts"
import { OneMember } from "./Members.ts"
import { Merging } from "./Merge.ts"
import { MovingIn } from "./MoveIn.ts"
import { OrderMoving } from "./MoveOrder.ts"
import { Nodes } from "./Nodes.ts"
import { Overviews } from "./Overview.ts"
import { Passkeys } from "./Passkeys.ts"
import { Products } from "./Products.ts"
import { ManagedPrograms } from "./Programs.ts"
import { ManagedPromotions } from "./PromotionFigures.ts"
import { Receipts } from "./Receipts.ts"
import { Requests } from "./Requests.ts"
import { SessionGroup } from "./Sessions.ts"
import { Staff } from "./Staff.ts"
import { RewardsTakenBack } from "./TakeBack.ts"
import { Tokens } from "./Tokens.ts"

export class AdminApi extends HttpApi.make("lotbook-admin")
  .add(
    SessionGroup,
    Tokens,
    Audits,
    Overviews,
    MemberLists,
    Maintenances,
    SandboxClock,
    SandboxFaults,
    OneMember,
    Merging,
    OrderMoving,
    Receipts
  )
  .add(
    ManagedPrograms,
    ManagedPromotions,
    Products,
    Nodes,
    Requests,
    Locations,
    Logos,
    Business,
    Connections,
    Attentions,
    Asks,
    Handovers,
    MemberExport,
    MemberRewards,
    RewardsTakenBack,
    MovingIn,
    Passkeys,
    Staff,
    Limits,
    Account,
    FinanceGroup
  )
  .annotateMerge(OpenApi.annotations({ title: "Lotbook administration", version: protocolVersion }))
  .annotate(AuthOf, "admin")
  .annotateMerge(strict) {}
