/** Leads from a restaurant's name to its figures. */
import type { ReactNode } from "react"
import { PageLink } from "../shared/PageLink.tsx"
import { figuresPath } from "./todaySearch.ts"

export const toFigures = (location: string, name: string): ReactNode => (
  <PageLink to={figuresPath} search={{ location }}>
    <bdi>{name}</bdi>
  </PageLink>
)
