/** The console in a real browser: Today, the developers' pages, and controls under the pointer and with the focus, without the tasks of `npm test`. */

import { attention } from "./Attention.ts"
import { connectors } from "./Connectors.ts"
import { requests } from "./Requests.ts"
import { restaurants } from "./Restaurants.ts"
import { suite } from "./Suite.ts"
import { tasks } from "./Tasks.ts"
import { tills } from "./Tills.ts"
import { today } from "./Today.ts"
import { touched } from "./Touched.ts"
import { yesterday } from "./Yesterday.ts"

suite(
  "the console",
  [today, attention, yesterday, connectors, tills, requests, restaurants, touched],
  (name) => !tasks.has(name)
)
