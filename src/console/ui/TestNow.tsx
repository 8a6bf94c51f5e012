/** Gives one guest who agreed what a campaign gives, apart from its runs and figures. */
import { Alert, Checkbox } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useState } from "react"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import { useOffer } from "../app/audience.ts"
import { campaignStrings } from "../app/campaignStrings.ts"
import { call, client, keyed } from "../app/client.ts"
import { strings } from "../app/strings.ts"
import { actionWords } from "./CampaignWords.tsx"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { GuestInput } from "./GuestInput.tsx"
import { nameIn, noSuch, useMember } from "./MemberShown.ts"
import { faultAt } from "./States.tsx"

const platform = client(Campaigns)

const text = campaignStrings

export const TestNow = ({ campaign: { action, campaign_id, program_id } }: { readonly campaign: Campaign }) => {
  const offer = useOffer()
  const [member, setMember] = useState("")
  const [isAgreed, setAgreed] = useState(false)
  const member_id = member.trim()
  const [settled] = useDebouncedValue(member_id, 300)
  const found = useMember(program_id, settled, settled !== "")
  return (
    <ChangeDialog
      label={text.test}
      submit={text.testSubmit}
      begin={() => {
        setMember("")
        setAgreed(false)
      }}
      isReady={isAgreed && found.data !== undefined && settled === member_id}
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
            error={faultAt(error, "/member_id", member_id) ?? noSuch(found.error)}
          />
          <Checkbox
            label={text.testAgreed}
            checked={isAgreed}
            onChange={({ currentTarget }) => setAgreed(currentTarget.checked)}
          />
          <Alert title={strings.member.preview} role="status">
            {found.data === undefined
              ? text.testPreview(actionWords(action, offer))
              : text.testPreviewOf(nameIn(settled, found.data), actionWords(action, offer))}
          </Alert>
        </>
      )}
    </ChangeDialog>
  )
}
