/** Switches a promotion or a challenge of a draft off, or on again. */
import { Button } from "@mantine/core"
import { cardStrings as text } from "./cardStrings.ts"
import { withPart } from "./occasions.ts"

interface Switched {
  readonly name: string
  readonly enabled?: boolean
}

export const SwitchOff = <A extends Switched>(props: { readonly of: A; readonly onChange: (next: A) => void }) => {
  const { of, onChange } = props
  const isOff = of.enabled === false
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={isOff ? text.switchOnOf(of.name) : text.switchOffOf(of.name)}
      onClick={() =>
        onChange(isOff ? withPart<Switched & A, "enabled">(of, "enabled", undefined) : { ...of, enabled: false })
      }
    >
      {isOff ? text.switchOn : text.switchOff}
    </Button>
  )
}
