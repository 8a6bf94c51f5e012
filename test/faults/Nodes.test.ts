/**
 * Three nodes on one database: killed, stopped, cut off, told to leave, and with them their PostgreSQL. Holds
 * contract/databases.md *Nodes*, *Beats of a node*, *Joining and leaving*. One fault of each kind; `NodesMore` has the
 * others.
 */
import { shortRounds } from "./Short.ts"
import { oneOfEachKind } from "./Verbs.ts"

shortRounds("nodes", { isRun: (verb) => oneOfEachKind.has(verb) })
