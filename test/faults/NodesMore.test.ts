/** Faults of three nodes of the same kinds as those of `Nodes`. Holds contract/databases.md *Beats of a node*. */
import { shortRounds } from "./Short.ts"
import { oneOfEachKind } from "./Verbs.ts"

shortRounds("nodes", { isRun: (verb) => !oneOfEachKind.has(verb) })
