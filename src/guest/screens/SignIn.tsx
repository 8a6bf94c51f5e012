/** Signing in: an address, its code, and of several guests which one; or a link. */
import { useState } from "preact/hooks"
import { callingCodeOf, phoneIn } from "../../contract/Phones.ts"
import { emailForm, exampleIn } from "../addresses.ts"
import { Refusal } from "../api.ts"
import { useGuest, useWork } from "../guest.ts"
import { Action, Field, Form, Title } from "../parts.tsx"
import type { JoinFacts, PageFacts, Requested, SignedIn, SignInAnswer } from "../wire.ts"
import { Code } from "./Code.tsx"
import { channelOf, JoinFields, joinFacts, noJoin } from "./JoinFields.tsx"

interface Address {
  readonly kind: "email" | "phone"
  readonly value: string
}

interface Asked {
  readonly address: Address
  /** When, ms. */
  readonly since: number
  /** The newest first. */
  readonly requests: ReadonlyArray<string>
  readonly join?: JoinFacts | undefined
}

/** Where a sign-in stands once a code is on its way. */
type Step = { readonly status: "code" } | Exclude<SignInAnswer, { readonly status: "signed_in" }>

/** An address as it is sent; undefined: it cannot be one. Numbers are taken as they are written in the programme's country. */
const sentAddress = ({ kind, value }: Address, { country }: PageFacts): string | undefined => {
  const text = kind === "email" ? value.trim() : phoneIn(value, callingCodeOf(country))
  const isRight = kind === "email" ? emailForm : /^\+\d{7,15}$/
  return text !== undefined && isRight.test(text) ? text : undefined
}

/** Refusals of a telephone number, and its hint, with the programme's country. */
const usePhoneWords = () => {
  const { facts, shown, words } = useGuest()
  const { country = "" } = facts
  const example = exampleIn(country)
  const name = country === "" ? "" : shown.country(country)
  return {
    hint: example === undefined ? words.signIn.phoneForm : words.signIn.phoneHint(name, example),
    wrong: words.errors.phone(example),
    refused: words.errors.phoneCountry(name)
  }
}

interface AddressFieldProps {
  readonly address: Address
  readonly onAddress: (address: Address) => void
}

/** E-mail, or a telephone where the programme sends codes there. */
export const AddressField = ({ address, onAddress }: AddressFieldProps) => {
  const { facts, words } = useGuest()
  const { kind, value } = address
  const phone = usePhoneWords()
  const text = words.signIn
  const other = kind === "email" ? "phone" : "email"
  return (
    <>
      <Field
        key={kind}
        label={kind === "email" ? text.email : text.phone}
        value={value}
        hint={kind === "email" ? undefined : phone.hint}
        onValue={(next) => onAddress({ kind, value: next })}
        input={
          kind === "email"
            ? { type: "email", autoComplete: "email", autoCapitalize: "none", spellcheck: false }
            : { type: "tel", autoComplete: "tel" }
        }
      />
      {facts.sign_in[other] ? (
        <button type="button" class="link" onClick={() => onAddress({ kind: other, value: "" })}>
          {other === "phone" ? text.byPhone : text.byEmail}
        </button>
      ) : undefined}
    </>
  )
}

/** How a guest can be reached first. */
const firstAddress = ({ email, phone }: { readonly email: boolean; readonly phone: boolean }): Address => ({
  kind: email || !phone ? "email" : "phone",
  value: ""
})

interface CodeStepProps {
  readonly address: Address
  /** All that were asked for, the newest first: each mailed code works. */
  readonly requests: ReadonlyArray<string>
  /** Sends another code. */
  readonly onAgain: () => Promise<void>
  readonly onOther: () => void
  readonly onAnswer: (answer: SignInAnswer) => Promise<void>
}

/** The code of an address. Both who signs in and who joins comes here. */
const CodeStep = ({ address, onAgain, onAnswer, onOther, requests }: CodeStepProps) => {
  const { api, words } = useGuest()
  const enter = async (code: string, [request, ...older] = requests): Promise<SignInAnswer> => {
    try {
      return await api.send<SignInAnswer>("POST", "/sign-in/code", { request_id: request, code })
    } catch (error) {
      if (older.length === 0 || !(error instanceof Refusal) || error.status !== 401) throw error
      return enter(code, older)
    }
  }
  return (
    <>
      <Title>{words.code.title}</Title>
      <Code
        key={requests.length}
        text={requests.length > 1 ? words.code.sentAgain(address.value) : words.code.sent(address.value)}
        label={words.code.go}
        onCode={async (code) => onAnswer(await enter(code))}
        onAgain={onAgain}
      />
      <div class="row">
        <button type="button" class="link" onClick={onOther}>
          {words.code.other}
        </button>
      </div>
    </>
  )
}

const Choose = ({ answer }: { readonly answer: SignInAnswer & { readonly status: "choose" } }) => {
  const { api, shown, signedIn, words } = useGuest()
  const work = useWork({ unauthorized: words.errors.code })
  const text = words.choose
  return (
    <>
      <Title>{text.title}</Title>
      <p>{text.text}</p>
      <ul class="choices">
        {answer.guests.map(({ card_ending, guest, joined_at, name = text.unnamed }) => (
          <li key={guest}>
            <Action
              work={work}
              label={[
                text.guest(name, shown.date(joined_at)),
                ...(card_ending === undefined ? [] : [text.card(card_ending)])
              ].join(" · ")}
              onPress={async () => {
                const body = { request_id: answer.request_id, guest }
                await signedIn(await api.send<SignedIn>("POST", "/sign-in/choice", body))
              }}
            />
          </li>
        ))}
      </ul>
      <p role="alert" class="fault">
        {work.fault}
      </p>
    </>
  )
}

/** The rest of joining, for an address that no guest has. */
const JoinRest = ({ address, at, request }: Pick<StepsProps, "address" | "at"> & { readonly request: string }) => {
  const { api, facts, signedIn, words } = useGuest()
  const work = useWork({ unauthorized: words.errors.code })
  const [join, setJoin] = useState(noJoin)
  return (
    <>
      <Title>{words.join.title(facts.name)}</Title>
      <p>{words.join.rest}</p>
      <Form
        work={work}
        label={words.join.go}
        onSend={async () => {
          const body = { request_id: request, join: joinFacts(join, at) }
          await signedIn(await api.send<SignedIn>("POST", "/sign-in/join", body))
        }}
      >
        <JoinFields join={join} onJoin={setJoin} channels={[channelOf(address.kind)]} />
      </Form>
    </>
  )
}

/** Asks for a code; `join`: makes a guest of an address that has none. */
const useRequest = () => {
  const { api, language } = useGuest()
  return async (address: Address, join?: JoinFacts): Promise<string> => {
    const body = { [address.kind]: address.value, language, ...(join === undefined ? undefined : { join }) }
    return (await api.send<Requested>("POST", "/sign-in", body)).request_id
  }
}

interface StepsProps extends Asked {
  /** The location of the table card. */
  readonly at: string | undefined
  readonly onAsked: (asked: Asked) => void
  readonly onOther: () => void
}

/** How long a code works, ms. */
const codeMs = 600_000

/** A request for a code outlives the way to the mailbox and back, in this tab, for as long as a code works. */
const keptAsked = (programId: string) => {
  const key = `asked ${programId}`
  return {
    keep: (asked: Asked) => sessionStorage.setItem(key, JSON.stringify(asked)),
    drop: () => sessionStorage.removeItem(key),
    kept: (): Asked | undefined => {
      // Written by `keep` alone.
      const asked = JSON.parse(sessionStorage.getItem(key) ?? "null") as Asked | null
      return asked === null || Date.now() - asked.since > codeMs ? undefined : asked
    }
  }
}

/** All that follows the address. */
export const Steps = ({ address, at, join, onAsked, onOther, requests, since }: StepsProps) => {
  const { facts, signedIn } = useGuest()
  const ask = useRequest()
  const [step, setStep] = useState<Step>({ status: "code" })
  if (step.status === "code")
    return (
      <CodeStep
        address={address}
        requests={requests}
        onOther={onOther}
        onAgain={async () => onAsked({ address, join, since, requests: [await ask(address, join), ...requests] })}
        onAnswer={async (answer) => {
          keptAsked(facts.program_id).drop()
          if (answer.status === "signed_in") await signedIn(answer)
          else setStep(answer)
        }}
      />
    )
  return step.status === "choose" ? (
    <Choose answer={step} />
  ) : (
    <JoinRest address={address} request={step.request_id} at={at} />
  )
}

/** A form that ends with a code on its way. */
export const useAsked = () => {
  const { facts, words } = useGuest()
  const ask = useRequest()
  const [address, setAddress] = useState(() => firstAddress(facts.sign_in))
  const phone = usePhoneWords()
  const work = useWork(address.kind === "email" ? {} : { phone: phone.refused, overloaded: words.errors.phoneFull })
  const kept = keptAsked(facts.program_id)
  const [asked, setAsked] = useState(kept.kept)
  const onAsked = (next: Asked): void => {
    kept.keep(next)
    setAsked(next)
  }
  const other = (): void => {
    kept.drop()
    setAsked(undefined)
  }
  const send = async (join?: JoinFacts) => {
    const value = sentAddress(address, facts)
    if (value === undefined) return work.fail(address.kind === "email" ? words.errors.fields.email : phone.wrong)
    const sent = { kind: address.kind, value }
    onAsked({ address: sent, since: Date.now(), requests: [await ask(sent, join)], join })
  }
  return { address, asked, onAsked, other, send, setAddress, work }
}

export const SignIn = ({ at, isClaiming }: { readonly at: string | undefined; readonly isClaiming: boolean }) => {
  const { facts, words } = useGuest()
  const { address, asked, onAsked, other, send, setAddress, work } = useAsked()
  const text = words.signIn
  if (asked !== undefined) return <Steps {...asked} at={at} onAsked={onAsked} onOther={other} />
  const canAsk = facts.sign_in.email || facts.sign_in.phone
  return (
    <>
      <Title>{text.title}</Title>
      {isClaiming ? <p class="note">{text.claim}</p> : undefined}
      {canAsk ? (
        <Form work={work} label={text.send} onSend={() => send()}>
          <p>{text.text}</p>
          <AddressField address={address} onAddress={setAddress} />
        </Form>
      ) : (
        <p>{text.none}</p>
      )}
      {facts.can_join ? (
        <p class="beside">
          {text.joinHint}
          <a href="#join" class="button plain">
            {text.join}
          </a>
        </p>
      ) : undefined}
    </>
  )
}

/** A link of the staff's. A button spends it: programs that follow links must not. */
export const LinkSignIn = ({ token, onDone }: { readonly token: string; readonly onDone: () => void }) => {
  const { api, signedIn, words } = useGuest()
  const work = useWork({ unauthorized: words.errors.link, not_found: words.errors.link })
  return (
    <>
      <Title>{words.link.title}</Title>
      <Form
        work={work}
        label={words.link.go}
        onSend={async () => {
          await signedIn(await api.send<SignedIn>("POST", "/sign-in/link", { token }))
          onDone()
        }}
      >
        <p>{words.link.text}</p>
      </Form>
      <button type="button" class="link" onClick={onDone}>
        {words.link.other}
      </button>
    </>
  )
}
