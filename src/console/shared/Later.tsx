/**
 * Parts of the console in files of their own, each loaded at its first use. A file that does not come is told in its place,
 * and tried again there, by itself once the service answers again.
 */
import type { FunctionComponent } from "react"
import { createElement, use, useEffect, useState } from "react"
import { useIsLost } from "./connection.ts"
import { fetchFor, Gone } from "./files.ts"
import { Failed } from "./States.tsx"

/** A component of a file of its own. */
export const later = <Name extends string, Props extends object>(
  load: () => Promise<Readonly<Record<Name, FunctionComponent<Props>>>>,
  name: Name
): FunctionComponent<Props> => {
  let found: FunctionComponent<Props> | undefined
  let error: unknown
  let loading: Promise<void> | undefined
  /** True if only a new page helps: this one is out of date, or the browser keeps the failure of an import. */
  let isStuck = false
  const fetchAndImport = async (): Promise<void> => {
    try {
      await fetchFor(load)
      isStuck = true
      found = (await load())[name]
    } catch (fault) {
      if (fault instanceof Gone) isStuck = true
      error = fault
    }
    loading = undefined
  }
  const preload = (): Promise<void> => {
    if (found !== undefined || error !== undefined) return Promise.resolve()
    loading ??= fetchAndImport()
    return loading
  }
  const Later = (props: Props) => {
    const [tries, setTries] = useState(0)
    const isLost = useIsLost()
    useEffect(() => {
      if (isLost || error === undefined || isStuck) return
      error = undefined
      setTries((before) => before + 1)
    }, [isLost])
    if (found !== undefined) return createElement(found, props)
    if (error === undefined) {
      use(preload())
      return undefined
    }
    return (
      <Failed
        error={error}
        retry={() => {
          if (isStuck) return location.reload()
          error = undefined
          setTries(tries + 1)
        }}
      />
    )
  }
  // The router calls it before it shows a page.
  return Object.assign(Later, { preload })
}
