/** The guest's profile, sessions and data, and the way out. */
import { useState } from "preact/hooks"
import { emailForm } from "../addresses.ts"
import type { Own } from "../guest.ts"
import { useGuest, useOnce, useWork } from "../guest.ts"
import { Action, Field, Form, Part, Tick, Title } from "../parts.tsx"
import type { ConsentFacts, Device, Member, Requested } from "../wire.ts"
import { Code } from "./Code.tsx"
import { Fresh } from "./Fresh.tsx"
import { NameFields } from "./JoinFields.tsx"

const isSame = (one: ConsentFacts, other: ConsentFacts): boolean =>
  one.purpose === other.purpose && one.channel === other.channel

/** Consents that the page asks for, and others that the guest has decided on. */
const offered = ({ consents, email }: Member): ReadonlyArray<ConsentFacts> => {
  const asked = [{ purpose: "marketing", channel: email === undefined ? "sms" : "email", granted: false }]
  return [...consents, ...asked.filter((one) => !consents.some((known) => isSame(known, one)))]
}

const Profile = ({ me: { member }, reload }: Pick<Own, "me" | "reload">) => {
  const { api, facts, say, words } = useGuest()
  const work = useWork()
  const before = offered(member)
  const [typed, setTyped] = useState({ name: member.name ?? "", birthday: member.birthday ?? "", granted: [] })
  const [consents, setConsents] = useState(before)
  const save = async () => {
    const { birthday, name } = typed
    const changed = consents.filter((one) => before.some((was) => isSame(was, one) && was.granted !== one.granted))
    await api.send("PATCH", "/profile", {
      // Null clears what was there.
      ...(name.trim() === (member.name ?? "") ? undefined : { name: name.trim() || null }),
      ...(birthday === (member.birthday ?? "") ? undefined : { birthday: birthday || null }),
      ...(changed.length === 0
        ? undefined
        : {
            text_version: facts.text_version,
            consents: changed.map(({ channel, granted, purpose }) => ({
              purpose,
              granted,
              ...(channel === undefined ? undefined : { channel })
            }))
          })
    })
    say(words.account.saved)
    await reload()
  }
  return (
    <Part title={words.account.you}>
      <Form work={work} label={words.account.save} onSend={save}>
        <NameFields join={typed} onJoin={({ birthday, name }) => setTyped({ birthday, name, granted: [] })} />
        <fieldset>
          <legend>{words.join.consents}</legend>
          {consents.map((consent) => (
            <Tick
              key={`${consent.purpose} ${consent.channel}`}
              label={words.consent(consent.purpose, consent.channel)}
              isTicked={consent.granted}
              onTick={(granted) =>
                setConsents(consents.map((one) => (isSame(one, consent) ? { ...one, granted } : one)))
              }
            />
          ))}
        </fieldset>
      </Form>
    </Part>
  )
}

/** The new address, and the code that was sent to it. */
const NewEmail = ({ onDone }: { readonly onDone: (email: string) => Promise<void> }) => {
  const { api, words } = useGuest()
  const work = useWork()
  const [email, setEmail] = useState("")
  const [request, setRequest] = useState<string>()
  const ask = async () => setRequest((await api.send<Requested>("POST", "/email", { email })).request_id)
  if (request !== undefined)
    return (
      <Code
        key={request}
        text={words.code.sent(email)}
        label={words.code.go}
        onCode={async (code) => {
          await api.send("POST", "/email/code", { request_id: request, code })
          await onDone(email)
        }}
        onAgain={ask}
      />
    )
  return (
    <Form
      work={work}
      label={words.signIn.send}
      onSend={async () => {
        const typed = email.trim()
        if (!emailForm.test(typed)) return work.fail(words.errors.fields.email)
        setEmail(typed)
        setRequest((await api.send<Requested>("POST", "/email", { email: typed })).request_id)
      }}
    >
      <Field
        label={words.account.newEmail}
        value={email}
        onValue={setEmail}
        input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellcheck: false }}
      />
    </Form>
  )
}

const Email = ({ me: { member }, onSession, reload, session }: Own) => {
  const { facts, say, words } = useGuest()
  const text = words.account
  const [isChanging, setChanging] = useState(false)
  return (
    <Part title={text.email}>
      <p class="break">{member.email ?? text.noEmail}</p>
      {isChanging ? (
        <Fresh session={session} onSession={onSession} onCancel={() => setChanging(false)}>
          <NewEmail
            onDone={async (email) => {
              setChanging(false)
              say(text.emailChanged(email))
              await reload()
            }}
          />
        </Fresh>
      ) : facts.sign_in.email ? (
        <button type="button" class="plain" onClick={() => setChanging(true)}>
          {text.changeEmail}
        </button>
      ) : undefined}
    </Part>
  )
}

const Devices = () => {
  const { api, say, shown, words } = useGuest()
  const text = words.account
  const work = useWork()
  const [devices, setDevices] = useState<ReadonlyArray<Device>>([])
  const load = async () => setDevices((await api.get<{ sessions: ReadonlyArray<Device> }>("/sessions")).sessions)
  useOnce(() => work.run(load))
  return (
    <Part title={text.devices}>
      <ul class="lines">
        {devices.map(({ began_at, current, device, session_id }) => (
          <li class="line" key={session_id}>
            <span>
              <strong>{device}</strong>
              <small>{current ? text.thisDevice : text.since(shown.date(began_at))}</small>
            </span>
            {current ? undefined : (
              <Action
                work={work}
                label={words.account.signOut}
                full={text.endDevice(device)}
                onPress={async () => {
                  await api.send("DELETE", `/sessions/${encodeURIComponent(session_id)}`)
                  say(text.deviceEnded)
                  await load()
                }}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="alert" class="fault">
        {work.fault}
      </p>
    </Part>
  )
}

/** Hands a file over to the browser's downloads. */
const saveFile = (name: string, content: unknown): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, undefined, 2)], { type: "application/json" }))
  link.download = name
  link.click()
  // The browser has begun to read by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Begins at once; another press tries again what failed. */
const Download = ({ onDone }: { readonly onDone: () => void }) => {
  const { api, facts, say, words } = useGuest()
  const work = useWork()
  const download = async () => {
    saveFile(`${facts.program_id}.json`, await api.get("/data"))
    say(words.account.downloaded)
    onDone()
  }
  useOnce(() => work.run(download))
  return (
    <>
      {work.fault === undefined ? (
        <p>{words.loading}</p>
      ) : (
        <Action work={work} label={words.retry} onPress={download} />
      )}
      <p role="alert" class="fault">
        {work.fault}
      </p>
    </>
  )
}

const Leave = () => {
  const { api, say, shown, signedOut, words } = useGuest()
  const text = words.account
  const work = useWork()
  return (
    <>
      <h3>{text.leaveTitle}</h3>
      <p>{text.leaveText}</p>
      <Action
        work={work}
        kind="danger"
        label={text.leaveGo}
        onPress={async () => {
          const { erases_at } = await api.send<{ readonly erases_at: string }>("POST", "/leave")
          // Coming back undoes it, and only who has left can come back.
          await api.send("DELETE", "/session")
          signedOut()
          say(text.left(shown.date(erases_at)))
        }}
      />
      <p role="alert" class="fault">
        {work.fault}
      </p>
    </>
  )
}

/** Leads to the page in a tab of its own: this one may be all that a telephone shows of the app. */
const Print = () => {
  const { facts, words } = useGuest()
  return (
    <a class="button main" href={`/my/api/v1/${facts.program_id}/data.html`} target="_blank" rel="noopener">
      {words.account.open}
    </a>
  )
}

/** Downloading, printing and leaving, each behind a fresh code. */
const Data = ({ onSession, session }: Pick<Own, "onSession" | "session">) => {
  const { words } = useGuest()
  const text = words.account
  const [open, setOpen] = useState<"data" | "print" | "leave">()
  const close = (): void => setOpen(undefined)
  return (
    <Part title={text.data}>
      <div class="row">
        <button type="button" class="plain" onClick={() => setOpen("data")}>
          {text.download}
        </button>
        <button type="button" class="plain" onClick={() => setOpen("print")}>
          {text.print}
        </button>
        <button type="button" class="plain" onClick={() => setOpen("leave")}>
          {text.leave}
        </button>
      </div>
      {open === undefined ? undefined : (
        <Fresh session={session} onSession={onSession} onCancel={close}>
          {open === "data" ? <Download onDone={close} /> : open === "print" ? <Print /> : <Leave />}
        </Fresh>
      )}
    </Part>
  )
}

export const AccountScreen = (own: Own) => {
  const { api, signedOut, words } = useGuest()
  const work = useWork()
  return (
    <>
      <Title>{words.account.title}</Title>
      <Profile me={own.me} reload={own.reload} />
      {own.me.member.phone === undefined ? undefined : (
        <Part title={words.signIn.phone}>
          <p class="break">{own.me.member.phone}</p>
        </Part>
      )}
      <Email {...own} />
      <Devices />
      <Data session={own.session} onSession={own.onSession} />
      <Action
        work={work}
        label={words.account.signOut}
        onPress={async () => {
          await api.send("DELETE", "/session")
          signedOut()
        }}
      />
      <p role="alert" class="fault">
        {work.fault}
      </p>
    </>
  )
}
