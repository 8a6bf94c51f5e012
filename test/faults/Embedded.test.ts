/** The service and its own PostgreSQL killed, stopped and cut off from each other. */
import { shortRounds } from "./Short.ts"

shortRounds("embedded")
