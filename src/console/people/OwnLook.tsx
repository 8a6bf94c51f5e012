/** The name, the colour and the logo of the business, which everybody sees at the console. */
import { Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import type { PutLook } from "../../contract/admin/Business.ts"
import { call } from "../shared/client.ts"
import { Facts } from "../shared/Facts.tsx"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { LogoInput, LogoShown, RemoveLogo } from "../shared/form/LogoInput.tsx"
import { business, lookKey, useLook } from "../shared/look.ts"
import { Panel } from "../shared/Panel.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, Shown } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"

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
