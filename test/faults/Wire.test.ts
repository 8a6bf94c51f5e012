/** The wire to PostgreSQL cut around COMMIT, and stalled. */
import { shortRounds } from "./Short.ts"

shortRounds("proxied")
