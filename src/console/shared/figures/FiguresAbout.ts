/** Subject of the figures of the charts below, for their files. */
import { createContext, useContext } from "react"
import type { About } from "../spreadsheets/csv.ts"

const Context = createContext<About | undefined>(undefined)

export const FiguresAbout = Context.Provider
export const useFiguresAbout = (): About | undefined => useContext(Context)
