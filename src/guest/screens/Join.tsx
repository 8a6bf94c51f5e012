/** Joining: an address, and what the guest tells by choice. */
import { useState } from "preact/hooks"
import { useGuest } from "../guest.ts"
import { Form, Title } from "../parts.tsx"
import { channelOf, JoinFields, joinFacts, noJoin } from "./JoinFields.tsx"
import { AddressField, Steps, useAsked } from "./SignIn.tsx"

export const JoinScreen = ({ at }: { readonly at: string | undefined }) => {
  const { facts, words } = useGuest()
  const [join, setJoin] = useState(noJoin)
  const { address, asked, onAsked, other, send, setAddress, work } = useAsked()
  if (asked !== undefined) return <Steps {...asked} at={at} onAsked={onAsked} onOther={other} />
  const channels = [channelOf(address.kind)]
  return (
    <>
      <Title>{words.join.title(facts.name)}</Title>
      <Form
        work={work}
        label={words.join.go}
        onSend={() => send(joinFacts({ ...join, granted: join.granted.filter((one) => channels.includes(one)) }, at))}
      >
        <p>{words.join.text}</p>
        <AddressField address={address} onAddress={setAddress} />
        <JoinFields join={join} onJoin={setJoin} channels={channels} />
      </Form>
      <a href="#sign-in" class="link">
        {words.join.signIn}
      </a>
    </>
  )
}
