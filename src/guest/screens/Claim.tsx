/** Claiming the points of a receipt. */
import { useState } from "preact/hooks"
import { Refusal } from "../api.ts"
import type { Own } from "../guest.ts"
import { useGuest, useWork } from "../guest.ts"
import { Field, Form, Title } from "../parts.tsx"
import type { Claimed } from "../wire.ts"

interface ClaimProps extends Pick<Own, "reload"> {
  /** The code of a receipt's QR code. */
  readonly pending: string
  readonly onClaimed: () => void
}

export const ClaimScreen = ({ onClaimed, pending, reload }: ClaimProps) => {
  const { api, say, shown, words } = useGuest()
  const { errors } = words
  const text = words.claim
  const work = useWork({
    not_found: errors.claim,
    validation_failed: errors.claim,
    conflict: errors.claimTaken,
    claims_off: errors.claimOff,
    invalid_state: errors.claimMany
  })
  const [code, setCode] = useState(pending)
  const send = async () => {
    const claim_code = code.toUpperCase().replace(/[^0-9A-Z]/g, "")
    if (claim_code === "") return work.fail(errors.claim)
    const {
      again,
      more = [],
      ...first
    } = await api.send<Claimed>("POST", "/claims", { claim_code }).catch((error: unknown) => {
      // It can never be claimed: the next sign-in must not lead here again.
      if (error instanceof Refusal && (error.code === "conflict" || error.code === "not_found")) onClaimed()
      throw error
    })
    const points = [first, ...more].filter((one) => one.points > 0)
    setCode("")
    onClaimed()
    const gained = points.map((one) => shown.units(one.points, one.unit)).join(", ")
    say(again ? text.again : gained === "" ? text.nothing : text.done(gained))
    await reload()
  }
  return (
    <>
      <Title>{text.title}</Title>
      <Form work={work} label={text.go} onSend={send}>
        <p>{text.text}</p>
        <Field
          label={text.label}
          value={code}
          onValue={setCode}
          input={{ autoComplete: "off", autoCapitalize: "characters", spellcheck: false, class: "code", maxLength: 40 }}
        />
      </Form>
    </>
  )
}
