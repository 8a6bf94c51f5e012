/** Parts of all screens. */
import type { ComponentChildren, InputHTMLAttributes } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import type { Work } from "./guest.ts"
import { useGuest } from "./guest.ts"

/** The heading of a screen, to which the focus moves: readers begin there. */
export const Title = ({ children }: { readonly children: ComponentChildren }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly hint?: string | undefined
  readonly isOptional?: boolean
  readonly input?: InputHTMLAttributes<HTMLInputElement>
}

export const Field = ({ hint, input, isOptional = false, label, onValue, value }: FieldProps) => {
  const { words } = useGuest()
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional ? <small>{` (${words.optional})`}</small> : undefined}
      </label>
      <input
        {...input}
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hint === undefined ? undefined : (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}

interface TickProps {
  readonly label: string
  readonly isTicked: boolean
  readonly onTick: (isTicked: boolean) => void
}

export const Tick = ({ isTicked, label, onTick }: TickProps) => (
  <label class="tick">
    <input type="checkbox" checked={isTicked} onChange={({ currentTarget }) => onTick(currentTarget.checked)} />
    <span>{label}</span>
  </label>
)

interface FormProps {
  readonly work: Work
  readonly label: string
  readonly onSend: () => Promise<void>
  readonly children?: ComponentChildren
}

/** A form with its one button. What went wrong is told beside the button. */
export const Form = ({ children, label, onSend, work }: FormProps) => (
  <form
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      work.run(onSend)
    }}
  >
    {children}
    <p role="alert" class="fault">
      {work.fault}
    </p>
    <button class="main" type="submit" aria-disabled={work.isBusy} aria-busy={work.isBusy}>
      {label}
    </button>
  </form>
)

interface ActionProps {
  readonly work: Work
  readonly onPress: () => Promise<void>
  readonly label: string
  readonly kind?: "main" | "plain" | "danger"
  /** The name for screen readers, where the label alone does not tell. */
  readonly full?: string
}

export const Action = ({ full, kind = "plain", label, onPress, work }: ActionProps) => (
  <button
    type="button"
    class={kind}
    aria-label={full}
    aria-disabled={work.isBusy}
    aria-busy={work.isBusy}
    onClick={() => work.run(onPress)}
  >
    {label}
  </button>
)

export const Part = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => {
  const id = useId()
  return (
    <section class="part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
