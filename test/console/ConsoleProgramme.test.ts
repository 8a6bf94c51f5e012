/** The console in a real browser: the pages of the programme, without the tasks of `npm test`. */

import { challenges } from "./programme/Challenges.ts"
import { chosen } from "./programme/Chosen.ts"
import { earning } from "./programme/Earning.ts"
import { general } from "./programme/General.ts"
import { guestPageForm } from "./programme/GuestPageForm.ts"
import { programme } from "./programme/Programme.ts"
import { programmeForm } from "./programme/ProgrammeForm.ts"
import { promotions } from "./programme/Promotions.ts"
import { rewards } from "./programme/Rewards.ts"
import { tiers } from "./programme/Tiers.ts"
import { suite } from "./Suite.ts"
import { tasks } from "./Tasks.ts"

suite(
  "the console",
  [programme, programmeForm, general, rewards, promotions, chosen, challenges, tiers, earning, guestPageForm],
  (name) => !tasks.has(name)
)
