/** Two services on one database: the active one killed, and stopped and continued. */
import { shortRounds } from "./Short.ts"

shortRounds("pair")
