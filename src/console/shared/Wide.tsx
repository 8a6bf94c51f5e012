import type { CSSProperties, ReactNode } from "react"
import { useCallback, useState } from "react"

/** True while an element's content is wider than the element. */
const useIsScrolled = (): readonly [isScrolled: boolean, ref: (element: HTMLElement | null) => void] => {
  const [isScrolled, setScrolled] = useState(false)
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setScrolled(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [])
  return [isScrolled, ref]
}

/** A table that may be wider than the screen. It scrolls, also by keyboard, and its edges show that. */
export const Wide = (props: {
  readonly label: string
  /** Pixels. */
  readonly minWidth: number
  readonly children: ReactNode
}) => {
  const [isScrolled, ref] = useIsScrolled()
  return (
    <div ref={ref} className="wide" {...(isScrolled ? { role: "group", "aria-label": props.label, tabIndex: 0 } : {})}>
      <div style={{ "--wide": `${props.minWidth}px` } as CSSProperties}>{props.children}</div>
    </div>
  )
}
