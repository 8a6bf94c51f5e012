/** A service that reads archived spans, while commands on spans are killed. Holds contract/databases.md *Archive*. */
import { shortRounds } from "./Short.ts"

shortRounds("archive")
