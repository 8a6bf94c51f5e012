/** The console in a real browser: Today, the developers' pages, and controls under the pointer and with the focus, without the tasks of `npm test`. */

import { connectors } from "./developers/Connectors.ts"
import { requests } from "./developers/Requests.ts"
import { tills } from "./developers/Tills.ts"
import { suite } from "./Suite.ts"
import { tasks } from "./Tasks.ts"
import { touched } from "./Touched.ts"
import { attention } from "./today/Attention.ts"
import { fitsScreens } from "./today/Fits.ts"
import { restaurants } from "./today/Restaurants.ts"
import { today } from "./today/Today.ts"
import { yesterday } from "./today/Yesterday.ts"

suite(
  "the console",
  [today, fitsScreens, attention, yesterday, connectors, tills, requests, restaurants, touched],
  (name) => !tasks.has(name)
)
