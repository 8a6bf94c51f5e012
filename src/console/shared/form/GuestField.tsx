/** A field for the id of a guest, who is chosen by name. */
import { useState } from "react"
import type { Guest } from "../choosers/GuestCard.tsx"
import { GuestChooser } from "../choosers/GuestChooser.tsx"
import { useField } from "./Field.tsx"

export const GuestField = (props: {
  readonly at: string
  readonly label: string
  readonly program_id: string
  /** A guest who is not offered. */
  readonly but?: string
  /** Called with the chosen guest. */
  readonly onGuest?: (guest: Guest | undefined) => void
}) => {
  const { at, onGuest, ...chooser } = props
  const { error, onChange, value } = useField(at)
  const [guest, setGuest] = useState<Guest>()
  return (
    <GuestChooser
      {...chooser}
      value={guest?.member_id === value ? guest : undefined}
      onChange={(next) => {
        setGuest(next)
        onGuest?.(next)
        onChange(next?.member_id)
      }}
      error={error}
    />
  )
}
