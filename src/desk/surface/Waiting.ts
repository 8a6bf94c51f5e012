/** Whether a request that waits for something to happen may go on to wait. */
import { Context } from "effect"

/** False while the service stops, and while a sandbox is started over: then such a request answers at once. */
export const MayWait = Context.Reference<() => boolean>("lotbook/desk/surface/MayWait", {
  defaultValue: () => () => true
})
