/** A campaign's name with a link to it; its id if the session may not read campaigns, or it is of another programme. */

import { PageLink } from "../shared/PageLink.tsx"
import { useMay } from "../shared/session.tsx"
import { useCampaigns } from "./audience.ts"

const Named = ({ campaign_id }: { readonly campaign_id: string }) => {
  const name = useCampaigns().data?.find((one) => one.campaign_id === campaign_id)?.name
  return (
    <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }}>
      {name ?? campaign_id}
    </PageLink>
  )
}

export const CampaignLink = ({ campaign_id }: { readonly campaign_id: string }) =>
  useMay()("campaigns") ? <Named campaign_id={campaign_id} /> : <bdi>{campaign_id}</bdi>
