import { Panel } from "../ui/Panel.tsx"
import { strings } from "../app/strings.ts"

export const Campaigns = () => <Panel title={strings.audience.campaigns}>{undefined}</Panel>
