/**
 * A value before JSON is made of it: every property of its type is named, and an absent one is undefined, which JSON leaves
 * out. So each place that renders a type fails to compile until it names a new property. Parts that have their type already
 * stay as they are.
 */
export type Rendered<A> =
  A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Item | Rendered<Item>>
    : A extends object
      ? {
          readonly [Name in keyof A]-?:
            | A[Name]
            | Rendered<A[Name]>
            | (Record<never, never> extends Pick<A, Name> ? undefined : never)
        }
      : A
