/** German: every text of the console. It and its parts import nothing of the page at run time (`shared/language.ts`). */
import type { Translation } from "../app/Translation.ts"
import { ask } from "./de/ask.ts"
import { audit } from "./de/audit.ts"
import { automation } from "./de/automation.ts"
import { archive, campaign, result } from "./de/campaign.ts"
import { chooser } from "./de/chooser.ts"
import { connector } from "./de/connector.ts"
import { counter } from "./de/counter.ts"
import { detail } from "./de/details.ts"
import { developer, request, till } from "./de/developer.ts"
import { fault } from "./de/faults.ts"
import { duration, field } from "./de/fields.ts"
import { attention, range, ranking, yesterday } from "./de/figures.ts"
import { file } from "./de/files.ts"
import { finance } from "./de/finance.ts"
import { first } from "./de/first.ts"
import { consent, guest, ledger, location, member, profile, takeBack } from "./de/guests.ts"
import { handover } from "./de/handover.ts"
import { help } from "./de/help.ts"
import { imports } from "./de/imports.ts"
import { move } from "./de/move.ts"
import { note } from "./de/notes.ts"
import { challenge, occasion, promotion, reward, tier } from "./de/offers.ts"
import { problem } from "./de/problems.ts"
import { card, earning, general, guestPage, programme } from "./de/programme.ts"
import { evaluation, publication } from "./de/publication.ts"
import { receipt } from "./de/receipt.ts"
import { segment } from "./de/segment.ts"
import { service } from "./de/service.ts"
import { staff } from "./de/staff.ts"
import { value } from "./de/values.ts"
import { wizard } from "./de/wizard.ts"

export const translation: Translation = {
  archive,
  ask,
  attention,
  audit,
  automation,
  campaign,
  card,
  challenge,
  chooser,
  connector,
  consent,
  counter,
  detail,
  developer,
  duration,
  earning,
  evaluation,
  fault,
  field,
  file,
  finance,
  first,
  general,
  guest,
  guestPage,
  handover,
  help,
  import: imports,
  ledger,
  location,
  member,
  move,
  note,
  occasion,
  problem,
  profile,
  programme,
  promotion,
  publication,
  range,
  ranking,
  receipt,
  request,
  result,
  reward,
  segment,
  service,
  staff,
  takeBack,
  tier,
  till,
  value,
  wizard,
  yesterday
}
