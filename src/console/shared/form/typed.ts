/**
 * Keys that are typed before a page has its field: a scanner does not wait until a page is loaded. The first page that asks
 * for them gets them; what has the focus by then keeps its own.
 */

/** Keys of a person who has gone on since are not meant for the page, ms. */
const keptMs = 5_000
const mostKept = 256

let early = ""
let newest = 0

/** True of a key that a scanner or a person types as text, and that no field or dialog takes. */
export const isTyped = ({ altKey, ctrlKey, key, metaKey, target }: KeyboardEvent): boolean =>
  // A blank presses the button that has the focus.
  key.length === 1 &&
  key !== " " &&
  !altKey &&
  !ctrlKey &&
  !metaKey &&
  !(target instanceof HTMLElement && target.closest("input, select, textarea, [role=dialog]") !== null) &&
  document.querySelector("[role=dialog]") === null

const keep = (event: KeyboardEvent): void => {
  const isAtButton = event.target instanceof HTMLElement && event.target.closest("a, button") !== null
  const key = event.key === "Enter" && !isAtButton ? "\n" : isTyped(event) ? event.key : ""
  if (key === "" || early.length >= mostKept) return
  const now = performance.now()
  early = now - newest > keptMs ? key : early + key
  newest = now
}

const clear = (): void => {
  early = ""
}

document.addEventListener("keydown", keep)
// A person who goes on by hand has left what was typed.
document.addEventListener("pointerdown", clear)

/** Text that was typed since the page was opened, with `\n` for Enter. From now on nothing is kept. */
export const takeEarly = (): string => {
  document.removeEventListener("keydown", keep)
  document.removeEventListener("pointerdown", clear)
  const taken = performance.now() - newest > keptMs ? "" : early
  clear()
  return taken
}
