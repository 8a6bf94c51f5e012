/** The console in a real browser: the pages of the programme, without the tasks of `npm test`. */

import { challenges } from "./Challenges.ts"
import { chosen } from "./Chosen.ts"
import { earning } from "./Earning.ts"
import { general } from "./General.ts"
import { guestPageForm } from "./GuestPageForm.ts"
import { programme } from "./Programme.ts"
import { programmeForm } from "./ProgrammeForm.ts"
import { promotions } from "./Promotions.ts"
import { rewards } from "./Rewards.ts"
import { suite } from "./Suite.ts"
import { tasks } from "./Tasks.ts"
import { tiers } from "./Tiers.ts"

suite(
  "the console",
  [programme, programmeForm, general, rewards, promotions, chosen, challenges, tiers, earning, guestPageForm],
  (name) => !tasks.has(name)
)
