/** Type of a translation of the console: every text, by the part of the catalogue that it is in. */

import type { askStrings } from "../asks/askStrings.ts"
import type { counterStrings } from "../counter/counterStrings.ts"
import type { receiptStrings } from "../counter/receiptStrings.ts"
import type { financeStrings } from "../finance/financeStrings.ts"
import type { serviceStrings } from "../service/serviceStrings.ts"
import type { archiveStrings } from "./archiveStrings.ts"
import type { attentionStrings } from "./attentionStrings.ts"
import type { auditStrings } from "./auditStrings.ts"
import type { automationStrings } from "./automationStrings.ts"
import type { campaignStrings } from "./campaignStrings.ts"
import type { cardStrings } from "./cardStrings.ts"
import type { challengeStrings } from "./challengeStrings.ts"
import type { chooserStrings } from "./chooserStrings.ts"
import type { connectorStrings } from "./connectorStrings.ts"
import type { detailStrings } from "./detailStrings.ts"
import type { developerStrings } from "./developerStrings.ts"
import type { earningStrings } from "./earningStrings.ts"
import type { evaluationStrings } from "./evaluationStrings.ts"
import type { faultStrings } from "./faultStrings.ts"
import type { durationStrings, fieldStrings } from "./fieldStrings.ts"
import type { fileStrings } from "./fileStrings.ts"
import type { generalStrings } from "./generalStrings.ts"
import type { guestPageStrings } from "./guestPageStrings.ts"
import type { guestStrings } from "./guestStrings.ts"
import type { importStrings } from "./importStrings.ts"
import type { ledgerStrings } from "./ledgerStrings.ts"
import type { locationStrings } from "./locationStrings.ts"
import type { memberStrings } from "./memberStrings.ts"
import type { moveStrings } from "./moveStrings.ts"
import type { noteStrings } from "./noteStrings.ts"
import type { occasionStrings } from "./occasionStrings.ts"
import type { problemStrings } from "./problemStrings.ts"
import type { consentStrings, profileStrings } from "./profileStrings.ts"
import type { programmeStrings } from "./programmeStrings.ts"
import type { promotionStrings } from "./promotionStrings.ts"
import type { publicationStrings } from "./publicationStrings.ts"
import type { rangeStrings } from "./rangeStrings.ts"
import type { requestStrings } from "./requestStrings.ts"
import type { rewardStrings } from "./rewardStrings.ts"
import type { segmentStrings } from "./segmentStrings.ts"
import type { staffStrings } from "./staffStrings.ts"
import type { strings } from "./strings.ts"
import type { takeBackStrings } from "./takeBackStrings.ts"
import type { tierStrings } from "./tierStrings.ts"
import type { tillStrings } from "./tillStrings.ts"
import type { valueStrings } from "./valueStrings.ts"
import type { yesterdayStrings } from "./yesterdayStrings.ts"

export interface Translation {
  readonly archive: typeof archiveStrings
  readonly ask: typeof askStrings
  readonly attention: typeof attentionStrings
  readonly audit: typeof auditStrings
  readonly automation: typeof automationStrings
  readonly campaign: typeof campaignStrings
  readonly card: typeof cardStrings
  readonly challenge: typeof challengeStrings
  readonly chooser: typeof chooserStrings
  readonly connector: typeof connectorStrings
  readonly consent: typeof consentStrings
  readonly counter: typeof counterStrings
  readonly detail: typeof detailStrings
  readonly developer: typeof developerStrings
  readonly duration: typeof durationStrings
  readonly earning: typeof earningStrings
  readonly evaluation: typeof evaluationStrings
  readonly fault: typeof faultStrings
  readonly field: typeof fieldStrings
  readonly file: typeof fileStrings
  readonly finance: typeof financeStrings
  readonly first: typeof strings
  readonly general: typeof generalStrings
  readonly guestPage: typeof guestPageStrings
  readonly guest: typeof guestStrings
  readonly import: typeof importStrings
  readonly ledger: typeof ledgerStrings
  readonly location: typeof locationStrings
  readonly member: typeof memberStrings
  readonly move: typeof moveStrings
  readonly note: typeof noteStrings
  readonly occasion: typeof occasionStrings
  readonly problem: typeof problemStrings
  readonly profile: typeof profileStrings
  readonly programme: typeof programmeStrings
  readonly promotion: typeof promotionStrings
  readonly publication: typeof publicationStrings
  readonly range: typeof rangeStrings
  readonly receipt: typeof receiptStrings
  readonly request: typeof requestStrings
  readonly reward: typeof rewardStrings
  readonly segment: typeof segmentStrings
  readonly service: typeof serviceStrings
  readonly staff: typeof staffStrings
  readonly takeBack: typeof takeBackStrings
  readonly tier: typeof tierStrings
  readonly till: typeof tillStrings
  readonly value: typeof valueStrings
  readonly yesterday: typeof yesterdayStrings
}
