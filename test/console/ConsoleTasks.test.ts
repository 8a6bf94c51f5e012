/** The console in a real browser: the tasks that `npm test` runs. */
import { assert, it } from "@effect/vitest"
import { entrance } from "./account/Entrance.ts"
import { audience } from "./audience/Audience.ts"
import { connectors } from "./developers/Connectors.ts"
import { requests } from "./developers/Requests.ts"
import { firstLoad } from "./FirstLoad.ts"
import { frame } from "./Frame.ts"
import { guests } from "./guests/Guest.ts"
import { profile } from "./guests/Profile.ts"
import { imports } from "./imports/Imports.ts"
import { withoutService } from "./Lost.ts"
import { pages } from "./Pages.ts"
import { programme } from "./programme/Programme.ts"
import { promotions } from "./programme/Promotions.ts"
import { rewards } from "./programme/Rewards.ts"
import { ownRestaurants } from "./restaurants/OwnRestaurants.ts"
import { suite } from "./Suite.ts"
import { service } from "./service/Service.ts"
import { tasks } from "./Tasks.ts"
import { trouble } from "./Trouble.ts"
import { attention } from "./today/Attention.ts"
import { fitsScreens } from "./today/Fits.ts"
import { restaurants } from "./today/Restaurants.ts"
import { today } from "./today/Today.ts"

const found = suite(
  "the console",
  [
    entrance,
    firstLoad,
    frame,
    pages,
    trouble,
    withoutService,
    service,
    today,
    attention,
    connectors,
    requests,
    restaurants,
    fitsScreens,
    ownRestaurants,
    programme,
    rewards,
    promotions,
    guests,
    profile,
    imports,
    audience
  ],
  (name) => tasks.has(name)
)

it("is every task of the list", () => assert.deepStrictEqual(found, tasks))
