/** Freezes writes or allows them again, after it has told what that does, and for a reason that the audit keeps. */
import { Maintenances } from "../../../contract/admin/Maintenance.ts"
import { call, client } from "../../app/client.ts"
import { useRefresh } from "../../app/refresh.ts"
import { strings } from "../../app/strings.ts"
import { ReasonDialog } from "../../ui/ReasonDialog.tsx"

const admin = client(Maintenances)

const text = strings.today

export const Freeze = ({ isFrozen }: { readonly isFrozen: boolean }) => (
  <ReasonDialog
    label={isFrozen ? text.unfreeze : text.freeze}
    isDangerous={!isFrozen}
    preview={isFrozen ? text.unfreezeConfirm : text.freezeConfirm}
    done={useRefresh("overview")}
    run={(reason) => call(admin.maintenance.freeze({ payload: { write_frozen: !isFrozen, reason } }))}
  />
)
