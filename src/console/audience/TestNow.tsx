/** Gives one guest who agreed what a campaign gives, apart from its runs and figures. */
import { Alert, Checkbox } from "@mantine/core"
import { useState } from "react"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestCard, guestName } from "../shared/choosers/GuestCard.tsx"
import { GuestChooser } from "../shared/choosers/GuestChooser.tsx"
import { call, client, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { faultAt } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { useOffer } from "./audience.ts"
import { actionWords } from "./CampaignWords.tsx"
import { campaignStrings } from "./campaignStrings.ts"

const platform = client(Campaigns)

const text = campaignStrings

export const TestNow = ({ campaign: { action, campaign_id, program_id } }: { readonly campaign: Campaign }) => {
  const offer = useOffer()
  const [guest, setGuest] = useState<Guest>()
  const [isAgreed, setAgreed] = useState(false)
  const member_id = guest?.member_id ?? ""
  return (
    <ChangeDialog
      label={text.test}
      submit={text.testSubmit}
      begin={() => {
        setGuest(undefined)
        setAgreed(false)
      }}
      isReady={isAgreed && guest !== undefined}
      run={(keyOf) => {
        const payload = { campaign_id, member_id }
        return call(keyed(keyOf(payload), platform.platform_campaigns.testCampaign({ payload })))
      }}
    >
      {(error: unknown) => (
        <>
          <GuestChooser
            label={text.testGuest}
            program_id={program_id}
            value={guest}
            onChange={setGuest}
            error={faultAt(error, "/member_id", member_id)}
          />
          {guest === undefined ? undefined : <GuestCard guest={guest} />}
          <Checkbox
            label={text.testAgreed}
            checked={isAgreed}
            onChange={({ currentTarget }) => setAgreed(currentTarget.checked)}
          />
          <Alert title={strings.member.preview} role="status">
            {guest === undefined
              ? text.testPreview(actionWords(action, offer))
              : text.testPreviewOf(guestName(guest), actionWords(action, offer))}
          </Alert>
        </>
      )}
    </ChangeDialog>
  )
}
