/** Gives one guest who agreed what a campaign gives, apart from its runs and figures. */
import { Alert, Checkbox } from "@mantine/core"
import { useState } from "react"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Campaigns, TestStart } from "../../contract/platform/Campaigns.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestCard, guestName } from "../shared/choosers/GuestCard.tsx"
import { client } from "../shared/client.ts"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { GuestField } from "../shared/form/GuestField.tsx"
import { strings } from "../shared/strings.ts"
import { useOffer } from "./audience.ts"
import { actionWords } from "./CampaignWords.tsx"
import { campaignStrings } from "./campaignStrings.ts"

const platform = client(Campaigns)

const text = campaignStrings

export const TestNow = ({ campaign: { action, campaign_id, mail, program_id } }: { readonly campaign: Campaign }) => {
  const offer = useOffer()
  const [chosen, choose] = useState<Guest>()
  const [isAgreed, setAgreed] = useState(false)
  return (
    <FormDialog
      label={text.test}
      submit={text.testSubmit}
      schema={TestStart}
      start={{ campaign_id }}
      isReady={() => isAgreed}
      end={() => setAgreed(false)}
      send={(payload) => platform.platform_campaigns.testCampaign({ payload })}
    >
      {({ member_id }) => {
        const guest = chosen?.member_id === member_id ? chosen : undefined
        return (
          <>
            <GuestField at="/member_id" label={text.testGuest} program_id={program_id} onGuest={choose} />
            {guest === undefined ? undefined : <GuestCard guest={guest} />}
            <Checkbox
              label={text.testAgreed}
              checked={isAgreed}
              onChange={({ currentTarget }) => setAgreed(currentTarget.checked)}
            />
            <Alert title={strings.member.preview} role="status">
              {guest === undefined
                ? text.testPreview(actionWords(action, offer))
                : text.testPreviewOf(guestName(guest), actionWords(action, offer))}{" "}
              {mail === undefined ? undefined : text.testMail}
            </Alert>
          </>
        )
      }}
    </FormDialog>
  )
}
