/** The console in a real browser: what holds on every page: entrance, frame, troubles, what is not saved yet, without the tasks of `npm test`. */

import { entrance } from "./Entrance.ts"
import { firstLoad } from "./FirstLoad.ts"
import { frame } from "./Frame.ts"
import { withoutService } from "./Lost.ts"
import { ownLook } from "./OwnLook.ts"
import { pages } from "./Pages.ts"
import { secrets } from "./Secrets.ts"
import { suite } from "./Suite.ts"
import { service } from "./service/Service.ts"
import { tasks } from "./Tasks.ts"
import { trouble } from "./Trouble.ts"
import { unsaved } from "./Unsaved.ts"
import { wording } from "./Wording.ts"

suite(
  "the console",
  [entrance, firstLoad, frame, ownLook, pages, trouble, withoutService, service, secrets, unsaved, wording],
  (name) => !tasks.has(name)
)
