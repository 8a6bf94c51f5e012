/**
 * Keeps an entry in a folder, says so, and then does what it was told: `FolderChild.ts FOLDER kill STEP`, `hold`, `fill` or
 * `race`. Tests kill it, or it kills itself.
 */

import type { FolderStep } from "lotbook/client/node"
import { folderStore } from "lotbook/client/node"

const [folder = "", what, step] = process.argv.slice(2)

let diesAt: FolderStep | undefined
const store = folderStore(folder, {
  onStep: (at) => {
    if (at === diesAt) process.kill(process.pid, "SIGKILL")
  }
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const put = (id: string, text: string) =>
  store.put(id, text).then(
    () => say(`kept ${id}`),
    (error: { readonly kind: string; readonly message: string }) => say(`${error.kind} ${error.message}`)
  )

try {
  await store.open()
  say("owner")
  if (what === "race" || what === "hold") await new Promise((resolve) => process.stdin.once("data", resolve))
  if (what === "kill" || what === "fill") await put("first", "1")
  if (what === "kill") {
    diesAt = step as FolderStep
    await put("first", "2")
    await put("second", "2")
  }
  if (what === "fill") {
    await put("large", "x".repeat(1_000_000))
    await put("first", "x".repeat(1_000_000))
    await put("small", "2")
  }
  if (what !== "leave") await store.close()
} catch (error) {
  say((error as { readonly kind: string }).kind)
}
