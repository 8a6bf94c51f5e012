/** The console in a real browser: what holds on every page: entrance, frame, troubles, what is not saved yet, without the tasks of `npm test`. */

import { entrance } from "./account/Entrance.ts"
import { begins } from "./app/Begin.ts"
import { beginnings } from "./app/Roles.ts"
import { firstLoad } from "./FirstLoad.ts"
import { frame } from "./Frame.ts"
import { withoutService } from "./Lost.ts"
import { pages } from "./Pages.ts"
import { ownLook } from "./people/OwnLook.ts"
import { suite } from "./Suite.ts"
import { service } from "./service/Service.ts"
import { numberFields } from "./shared/form/NumberFields.ts"
import { secrets } from "./shared/form/Secrets.ts"
import { unsaved } from "./shared/form/Unsaved.ts"
import { help } from "./shared/help/Help.ts"
import { tasks } from "./Tasks.ts"
import { trouble } from "./Trouble.ts"
import { wording } from "./Wording.ts"

suite(
  "the console",
  [
    beginnings,
    begins,
    entrance,
    firstLoad,
    frame,
    help,
    numberFields,
    ownLook,
    pages,
    trouble,
    withoutService,
    service,
    secrets,
    unsaved,
    wording
  ],
  (name) => !tasks.has(name)
)
