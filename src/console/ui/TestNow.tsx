/** Gives one guest who agreed what a campaign gives, apart from its runs and figures. */
import { Alert, Checkbox } from "@mantine/core"
import { useState } from "react"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { useOffer } from "../app/audience.ts"
import { campaignStrings } from "../app/campaignStrings.ts"
import { call, client, keyed } from "../app/client.ts"
import { strings } from "../app/strings.ts"
import { actionWords } from "./CampaignWords.tsx"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { GuestInput } from "./GuestInput.tsx"
import { faultAt } from "./States.tsx"

const platform = client(Campaigns)

const text = campaignStrings

export const TestNow = ({ campaign: { action, campaign_id, program_id } }: { readonly campaign: Campaign }) => {
  const offer = useOffer()
  const [member, setMember] = useState("")
  const [isAgreed, setAgreed] = useState(false)
  const member_id = member.trim()
  return (
    <ChangeDialog
      label={text.test}
      submit={text.testSubmit}
      begin={() => {
        setMember("")
        setAgreed(false)
      }}
      isReady={isAgreed && member_id !== ""}
      run={(keyOf) => {
        const payload = { campaign_id, member_id }
        return call(keyed(keyOf(payload), platform.platform_campaigns.testCampaign({ payload })))
      }}
    >
      {(error: unknown) => (
        <>
          <GuestInput
            label={text.testGuest}
            program_id={program_id}
            but=""
            value={member}
            onChange={setMember}
            error={faultAt(error, "/member_id", member_id)}
          />
          <Checkbox
            label={text.testAgreed}
            checked={isAgreed}
            onChange={({ currentTarget }) => setAgreed(currentTarget.checked)}
          />
          <Alert title={strings.member.preview}>{text.testPreview(actionWords(action, offer))}</Alert>
        </>
      )}
    </ChangeDialog>
  )
}
