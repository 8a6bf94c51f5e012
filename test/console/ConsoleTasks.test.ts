/** The console in a real browser: the tasks that `npm test` runs. */
import { assert, it } from "@effect/vitest"
import { attention } from "./Attention.ts"
import { audience } from "./Audience.ts"
import { connectors } from "./Connectors.ts"
import { entrance } from "./Entrance.ts"
import { firstLoad } from "./FirstLoad.ts"
import { frame } from "./Frame.ts"
import { guests } from "./Guest.ts"
import { imports } from "./Imports.ts"
import { withoutService } from "./Lost.ts"
import { ownRestaurants } from "./OwnRestaurants.ts"
import { pages } from "./Pages.ts"
import { profile } from "./Profile.ts"
import { programme } from "./Programme.ts"
import { promotions } from "./Promotions.ts"
import { requests } from "./Requests.ts"
import { restaurants } from "./Restaurants.ts"
import { rewards } from "./Rewards.ts"
import { suite } from "./Suite.ts"
import { service } from "./service/Service.ts"
import { tasks } from "./Tasks.ts"
import { today } from "./Today.ts"
import { trouble } from "./Trouble.ts"

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
