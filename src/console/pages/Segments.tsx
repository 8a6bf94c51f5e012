import { Panel } from "../ui/Panel.tsx"
import { strings } from "../app/strings.ts"

export const Segments = () => <Panel title={strings.audience.segments}>{undefined}</Panel>
