/** Type of a translation of the console: every text, by the part of the catalogue that it is in. */

import type { askStrings } from "../asks/askStrings.ts"
import type { archiveStrings } from "../audience/archiveStrings.ts"
import type { automationStrings } from "../audience/automationStrings.ts"
import type { campaignStrings } from "../audience/campaignStrings.ts"
import type { resultStrings } from "../audience/resultStrings.ts"
import type { segmentStrings } from "../audience/segmentStrings.ts"
import type { auditStrings } from "../audit/auditStrings.ts"
import type { counterStrings } from "../counter/counterStrings.ts"
import type { receiptStrings } from "../counter/receiptStrings.ts"
import type { connectorStrings } from "../developers/connectorStrings.ts"
import type { developerStrings } from "../developers/developerStrings.ts"
import type { requestStrings } from "../developers/requestStrings.ts"
import type { tillStrings } from "../developers/tillStrings.ts"
import type { financeStrings } from "../finance/financeStrings.ts"
import type { guestStrings } from "../guests/guestStrings.ts"
import type { ledgerStrings } from "../guests/ledgerStrings.ts"
import type { memberStrings } from "../guests/memberStrings.ts"
import type { consentStrings, profileStrings } from "../guests/profileStrings.ts"
import type { handoverStrings } from "../handovers/handoverStrings.ts"
import type { importStrings } from "../imports/importStrings.ts"
import type { moveStrings } from "../imports/moveStrings.ts"
import type { cardStrings } from "../programme/cardStrings.ts"
import type { challengeStrings } from "../programme/challengeStrings.ts"
import type { earningStrings } from "../programme/earningStrings.ts"
import type { evaluationStrings } from "../programme/evaluationStrings.ts"
import type { generalStrings } from "../programme/generalStrings.ts"
import type { occasionStrings } from "../programme/occasionStrings.ts"
import type { programmeStrings } from "../programme/programmeStrings.ts"
import type { promotionStrings } from "../programme/promotionStrings.ts"
import type { publicationStrings } from "../programme/publicationStrings.ts"
import type { rewardStrings } from "../programme/rewardStrings.ts"
import type { tierStrings } from "../programme/tierStrings.ts"
import type { locationStrings } from "../restaurants/locationStrings.ts"
import type { rankingStrings } from "../restaurants/rankingStrings.ts"
import type { serviceStrings } from "../service/serviceStrings.ts"
import type { chooserStrings } from "../shared/choosers/chooserStrings.ts"
import type { rangeStrings } from "../shared/figures/rangeStrings.ts"
import type { noteStrings } from "../shared/form/noteStrings.ts"
import type { guestPageStrings } from "../shared/guestPageStrings.ts"
import type { helpStrings } from "../shared/help/helpStrings.ts"
import type { fileStrings } from "../shared/spreadsheets/fileStrings.ts"
import type { staffStrings } from "../shared/staffStrings.ts"
import type { strings } from "../shared/strings.ts"
import type { takeBackStrings } from "../shared/takeBackStrings.ts"
import type { detailStrings } from "../shared/words/detailStrings.ts"
import type { faultStrings } from "../shared/words/faultStrings.ts"
import type { durationStrings, fieldStrings } from "../shared/words/fieldStrings.ts"
import type { problemStrings } from "../shared/words/problemStrings.ts"
import type { valueStrings } from "../shared/words/valueStrings.ts"
import type { attentionStrings } from "../today/attentionStrings.ts"
import type { yesterdayStrings } from "../today/yesterdayStrings.ts"
import type { wizardStrings } from "../wizards/wizardStrings.ts"

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
  readonly handover: typeof handoverStrings
  readonly help: typeof helpStrings
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
  readonly ranking: typeof rankingStrings
  readonly receipt: typeof receiptStrings
  readonly request: typeof requestStrings
  readonly result: typeof resultStrings
  readonly reward: typeof rewardStrings
  readonly segment: typeof segmentStrings
  readonly service: typeof serviceStrings
  readonly staff: typeof staffStrings
  readonly takeBack: typeof takeBackStrings
  readonly tier: typeof tierStrings
  readonly till: typeof tillStrings
  readonly value: typeof valueStrings
  readonly wizard: typeof wizardStrings
  readonly yesterday: typeof yesterdayStrings
}
