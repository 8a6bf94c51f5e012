/** An operator at the command line, for what asks for its caller. */
import { CurrentCaller } from "../src/desk/access/CurrentCaller.ts"

export const operator = CurrentCaller.of({
  kind: "system",
  keyId: "command",
  name: "test",
  scopes: new Set(),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
})
