import type { ComponentProps, ReactNode } from "react"
import { Failure } from "../shared/client.ts"
import { Empty, Shown } from "../shared/States.tsx"

interface FoundProps<A> {
  readonly query: ComponentProps<typeof Shown<A>>["query"]
  /** The title where it does not exist. */
  readonly gone: string
  readonly goneHint?: string
  readonly children: (data: A) => ReactNode
}

/** Shows the one thing that a page is about, or says that it does not exist. */
export const Found = <A,>({ children, gone, goneHint, query }: FoundProps<A>) =>
  query.error instanceof Failure && query.error.code === "not_found" ? (
    <Empty title={gone}>{goneHint}</Empty>
  ) : (
    <Shown query={query}>{children}</Shown>
  )
