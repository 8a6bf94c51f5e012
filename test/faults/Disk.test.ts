/** A data folder whose disk is full. */
import { shortRounds } from "./Short.ts"
import { noSmallDisk } from "./World.ts"

shortRounds("small disk", { skipped: noSmallDisk() })
