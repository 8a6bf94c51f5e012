/**
 * Three nodes on one database: killed, stopped, kept busy, cut off, told to leave. Holds contract/databases.md *Nodes*,
 * *Beats of a node*, *Joining and leaving*.
 */
import { shortRounds } from "./Short.ts"

shortRounds("nodes")
