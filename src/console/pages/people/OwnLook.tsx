/** The name, the colour and the logo of the business, which everybody sees at the console. */
import { Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import type { PutLook } from "../../../contract/admin/Business.ts"
import { call } from "../../app/client.ts"
import { business, lookKey, useLook } from "../../app/look.ts"
import { useRefresh } from "../../app/refresh.ts"
import { staffStrings } from "../../app/staffStrings.ts"
import { strings } from "../../app/strings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { LogoInput, LogoShown, RemoveLogo } from "../../ui/LogoInput.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { faultAt, Shown } from "../../ui/States.tsx"

const text = staffStrings.look

/** An empty field is left out. */
const typedOf = (typed: { readonly name: string; readonly colour: string }): typeof PutLook.Type =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([field, value]) => (value.trim() === "" ? [] : [[field, value.trim()]]))
  )

export const OwnLook = () => {
  const look = useLook()
  const refresh = useRefresh(lookKey)
  const [name, setName] = useState("")
  const [colour, setColour] = useState("")
  const { data } = look
  const begin = () => {
    setName(data?.name ?? "")
    setColour(data?.colour ?? "")
  }
  return (
    <Panel
      title={text.title}
      actions={
        <ChangeDialog
          label={text.change}
          begin={begin}
          done={refresh}
          isPlaced={(path) => path === "/name" || path === "/colour"}
          run={() => call(business.putBusiness({ payload: typedOf({ name, colour }) }))}
        >
          {(error) => (
            <>
              <TextInput
                label={text.name}
                description={text.nameHint}
                maxLength={60}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
                error={faultAt(error, "/name", name.trim())}
              />
              <TextInput
                label={text.colour}
                description={text.colourHint}
                value={colour}
                onChange={({ currentTarget }) => setColour(currentTarget.value)}
                error={faultAt(error, "/colour", colour.trim())}
              />
            </>
          )}
        </ChangeDialog>
      }
    >
      <Stack gap="sm">
        <Shown query={look}>
          {({ colour: shownColour = text.none, logo, name: shownName = strings.product }) => (
            <>
              <Facts
                facts={[
                  [text.name, shownName],
                  [text.colour, shownColour]
                ]}
              />
              <LogoShown shown={logo && { ...logo, address: logo.url }} none={text.noLogo} />
              {logo === undefined ? undefined : (
                <RemoveLogo effect={text.removeEffect} done={refresh} run={() => call(business.deleteBusinessLogo())} />
              )}
            </>
          )}
        </Shown>
        <LogoInput
          hint={text.logoHint}
          put={(png) => call(business.putBusinessLogo({ payload: { png } }))}
          done={refresh}
        />
      </Stack>
    </Panel>
  )
}
