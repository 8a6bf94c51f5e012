/** A dialog that is described: the contract's payload, its fields with their words (`Field`), and where it goes. */
import { Effect, Result } from "effect"
import type { ReactNode } from "react"
import { useState } from "react"
import type { BodyFault } from "../../../contract/Decode.ts"
import { faultsDetail } from "../../../contract/Decode.ts"
import { problemStatus } from "../../../contract/protocol/Problem.ts"
import { call, Failure, keyed } from "../client.ts"
import { loadProblemTexts } from "../words/problems.ts"
import type { ChangeDialogProps } from "./ChangeDialog.tsx"
import { ChangeDialog } from "./ChangeDialog.tsx"
import type { PayloadSchema } from "./check.ts"
import { checkOf, isWhole } from "./check.ts"
import type { Draft } from "./draft.ts"
import { filledIn, valueAt, withAt } from "./draft.ts"
import { FieldsOf } from "./Field.tsx"
import type { Foreseen } from "./foreseen.ts"
import { useForeseen } from "./foreseen.ts"
import type { Once } from "./once.ts"

type Dialog<A> = Omit<ChangeDialogProps<A>, "begin" | "children" | "isReady" | "run">

export interface FormDialogProps<P, A, F = never> extends Dialog<A> {
  readonly schema: PayloadSchema<P>
  /** The payload when the dialog opens: what the fields show, and what no field changes. */
  readonly start?: object
  /** Places that people fill in, although programs need not. */
  readonly needs?: ReadonlyArray<string>
  /** Adds what follows from the rest. */
  readonly complete?: (payload: Draft) => Draft
  /** Called with a payload that the contract allows, and the idempotency key that it is sent with. */
  readonly send: (payload: P, key: string) => Effect.Effect<A, unknown>
  /** Asks what a payload would do. */
  readonly foresee?: ((payload: P) => Effect.Effect<F, unknown>) | undefined
  /** False: it cannot be sent, although all that is needed is filled in. */
  readonly isReady?: (payload: Draft, foreseen: Foreseen<F>) => boolean
  /** Another way, of what is not for the person to send. */
  readonly instead?: (foreseen: Foreseen<F>) => Way<P, A> | undefined
  /** True: it keeps what is typed until that is sent. */
  readonly keepsInput?: boolean
  readonly children?: ReactNode | ((payload: Draft, foreseen: Foreseen<F>) => ReactNode)
}

type Way<P, A> = Pick<FormDialogProps<P, A>, "send" | "submit" | "told">

interface Typed {
  readonly before: object
  readonly draft: Draft
  readonly isOpen: boolean
}

const begun = (start: object, isOpen: boolean): Typed => ({ before: start, draft: { ...start }, isOpen })

/** The typed payload. Undefined: the dialog has not been opened yet. */
const useTyped = (start: object, keepsInput: boolean) => {
  const [typed, setTyped] = useState<Typed>()
  const turn = (isOpen: boolean) =>
    // A secret does not stay in memory.
    setTyped((kept) => (keepsInput && kept !== undefined ? { ...kept, isOpen } : begun(start, isOpen)))
  return {
    typed,
    payload: typed === undefined ? {} : filledIn(typed.draft, typed.before),
    put: (at: string, next: unknown) =>
      setTyped((kept) => (kept === undefined ? kept : { ...kept, draft: withAt(kept.draft, at, next) })),
    begin: () => turn(true),
    end: () => turn(false),
    clear: () => setTyped(begun(start, false))
  }
}

const code = "validation_failed"

/** The refusal of a payload, as the service refuses it. */
const refusalOf = (errors: ReadonlyArray<BodyFault>): Failure => {
  const detail = faultsDetail(errors)
  return new Failure(
    { type: "", title: "", status: problemStatus[code], detail, instance: "", code, errors: [...errors] },
    detail
  )
}

/** Sends a payload that the contract allows, with a key. Fails with the contract's faults otherwise. */
const sent = async <P, A>(
  schema: PayloadSchema<P>,
  payload: Draft,
  keyOf: Once["keyOf"],
  send: FormDialogProps<P, A>["send"]
): Promise<A> => {
  const checked = checkOf(schema)(payload)
  if (Result.isSuccess(checked)) {
    // One dialog may serve several pages, one after the other.
    const key = keyOf([location.pathname, checked.success])
    return call(keyed(key, send(checked.success, key)))
  }
  await loadProblemTexts()
  throw refusalOf(checked.failure)
}

const nothing = () => Effect.never

export const FormDialog = <P, A, F = never>(props: FormDialogProps<P, A, F>) => {
  const { children, done, end, foresee, instead, isReady, needs = [], schema, send, ...dialog } = props
  const form = useTyped(props.start ?? {}, props.keepsInput === true)
  const { put, typed } = form
  const payload = props.complete?.(form.payload) ?? form.payload
  const isForeseen = foresee !== undefined && typed?.isOpen === true
  const foreseen = useForeseen(schema, isForeseen ? payload : undefined, foresee ?? nothing)
  const other = instead?.(foreseen)
  const isFilledIn =
    typed !== undefined && needs.every((at) => valueAt(payload, at) !== undefined) && isWhole(schema, payload)
  return (
    <ChangeDialog
      {...dialog}
      {...other}
      isReady={isFilledIn && (isReady?.(payload, foreseen) ?? true)}
      begin={form.begin}
      end={() => {
        form.end()
        end?.()
      }}
      done={(result) => {
        form.clear()
        done?.(result)
      }}
      run={(keyOf) => sent(schema, payload, keyOf, other?.send ?? send)}
    >
      {(error: unknown) =>
        typed === undefined ? undefined : (
          <FieldsOf schema={schema} needs={needs} error={error} draft={typed.draft} put={put}>
            {typeof children === "function" ? children(payload, foreseen) : children}
          </FieldsOf>
        )
      }
    </ChangeDialog>
  )
}
