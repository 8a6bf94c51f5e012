/** Gives a part of the catalogue in the person's language. */
import { translated } from "./language.ts"

/** Texts of a translation in the place of the English ones: the same names, and functions that take the same. */
export type Texts<T> = T extends string
  ? string
  : T extends (...given: infer Given) => infer Told
    ? (...given: Given) => Texts<Told>
    : { readonly [Name in keyof T]: Texts<T[Name]> }

/** `name`: the part's name in `Translation`, which is its constant's without “Strings”. */
export const texts = <const T>(name: string, english: T): Texts<T> => (translated[name] ?? english) as Texts<T>
