/** Tells of a change that was made, over the page's header. Clicks go through it. */
import { useTold } from "../shared/told.ts"

export const Told = () => {
  const text = useTold()
  return (
    // There all along, so that a screen reader hears of each new text.
    <div className="told" role="status">
      {text === "" ? undefined : <p>{text}</p>}
    </div>
  )
}
