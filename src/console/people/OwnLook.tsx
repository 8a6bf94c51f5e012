/** The name, the colour and the logo of the business, which everybody sees at the console. */
import { Stack } from "@mantine/core"
import { PutLook } from "../../contract/admin/Business.ts"
import { call } from "../shared/client.ts"
import { Facts } from "../shared/Facts.tsx"
import { Field } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { LogoInput, LogoShown, RemoveLogo } from "../shared/form/LogoInput.tsx"
import { business, lookKey, useLook } from "../shared/look.ts"
import { Panel } from "../shared/Panel.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Shown } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"

const text = staffStrings.look

export const OwnLook = () => {
  const look = useLook()
  const refresh = useRefresh(lookKey)
  const { colour, name } = look.data ?? {}
  return (
    <Panel
      title={text.title}
      actions={
        <FormDialog
          label={text.change}
          schema={PutLook}
          start={{ name, colour }}
          isPlaced={(path) => path === "/name" || path === "/colour"}
          send={(payload) => business.putBusiness({ payload })}
          done={refresh}
        >
          <Field at="/name" label={text.name} hint={text.nameHint} input={{ maxLength: 60 }} />
          <Field at="/colour" label={text.colour} hint={text.colourHint} />
        </FormDialog>
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
