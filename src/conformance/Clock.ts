/** The clock of this machine, by which a verification counts its own times: a host's time is in its answers. */
import { Clock } from "effect"

/** ms since 1970. */
export const machineNow = Clock.currentTimeMillis
