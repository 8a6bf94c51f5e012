/** The console in a real browser: members, imports, segments and campaigns, and every text in another language, without the tasks of `npm test`. */

import { audience } from "./audience/Audience.ts"
import { germanPages } from "./GermanPages.ts"
import { guests } from "./guests/Guest.ts"
import { profile } from "./guests/Profile.ts"
import { imports } from "./imports/Imports.ts"
import { takenBack } from "./imports/TakenBack.ts"
import { suite } from "./Suite.ts"
import { takeBack } from "./shared/TakeBack.ts"
import { tasks } from "./Tasks.ts"
import { translated } from "./Translated.ts"

suite(
  "the console",
  [guests, profile, imports, takenBack, audience, takeBack, translated, germanPages],
  (name) => !tasks.has(name)
)
