import { Panel } from "../ui/Panel.tsx"
import { strings } from "../app/strings.ts"

export const Imports = () => <Panel title={strings.audience.imports}>{undefined}</Panel>
