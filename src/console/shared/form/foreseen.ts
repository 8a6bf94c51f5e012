/** Effects of a payload, by a dry run of the service. */
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import type { Effect } from "effect"
import { Result } from "effect"
import { call } from "../client.ts"
import type { PayloadSchema } from "./check.ts"
import { checkOf } from "./check.ts"
import type { Draft } from "./draft.ts"

/** Time in which nothing is typed, before it is asked for, ms. */
const restMs = 300

/** For a dry run, which changes nothing and is not in the audit log. */
const noReason = "-"

export interface Foreseen<F> {
  /** Undefined: it is not known yet, or there is nothing to foresee. */
  readonly data: F | undefined
  /** Why it would be refused; null: it would not, as far as is known. */
  readonly error: unknown
}

/** `payload`: undefined while nothing is to be foreseen. Whatever its reason is, the effects are the same. */
export const useForeseen = <P, F>(
  schema: PayloadSchema<P>,
  payload: Draft | undefined,
  foresee: (payload: P) => Effect.Effect<F, unknown>
): Foreseen<F> => {
  const checked = payload === undefined ? undefined : checkOf(schema)({ ...payload, reason: noReason })
  const asked = checked !== undefined && Result.isSuccess(checked) ? checked.success : undefined
  const text = asked === undefined ? "" : JSON.stringify(asked)
  const [settled] = useDebouncedValue(text, restMs)
  const isAsked = asked !== undefined && settled === text
  const query = useQuery({
    queryKey: ["foreseen", location.pathname, text],
    enabled: isAsked,
    retry: false,
    // It is another one by the time that the dialog is opened again.
    gcTime: 0,
    queryFn: () => (asked === undefined ? Promise.reject(new Error("nothing is asked")) : call(foresee(asked)))
  })
  return isAsked ? { data: query.data, error: query.error } : { data: undefined, error: null }
}
