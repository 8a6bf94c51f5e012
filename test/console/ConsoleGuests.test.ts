/** The console in a real browser: members, imports, segments and campaigns, and every text in another language, without the tasks of `npm test`. */

import { audience } from "./Audience.ts"
import { germanPages } from "./GermanPages.ts"
import { guests } from "./Guest.ts"
import { imports } from "./Imports.ts"
import { profile } from "./Profile.ts"
import { suite } from "./Suite.ts"
import { takeBack } from "./TakeBack.ts"
import { tasks } from "./Tasks.ts"
import { translated } from "./Translated.ts"

suite(
  "the console",
  [guests, profile, imports, audience, takeBack, translated, germanPages],
  (name) => !tasks.has(name)
)
