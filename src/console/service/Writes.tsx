/** The state of the write freeze, and the button that changes it: after a preview, for a reason that the audit keeps. */
import { Alert, Group, Text } from "@mantine/core"
import { MaintenanceChange, Maintenances } from "../../contract/admin/Maintenance.ts"
import { client } from "../shared/client.ts"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useMay } from "../shared/session.tsx"
import { serviceStrings } from "./serviceStrings.ts"

const admin = client(Maintenances)

const text = serviceStrings

export const Writes = ({ isFrozen }: { readonly isFrozen: boolean }) => {
  const may = useMay()
  const refresh = useRefresh("overview")
  return (
    <Alert color={isFrozen ? "red" : "indigo"} variant="light">
      <Group justify="space-between">
        <Text size="sm">{isFrozen ? text.frozen : text.writable}</Text>
        {may("freeze") ? (
          <ReasonDialog
            label={isFrozen ? text.unfreeze : text.freeze}
            isDangerous={!isFrozen}
            preview={isFrozen ? text.unfreezeConfirm : text.freezeConfirm}
            done={refresh}
            schema={MaintenanceChange}
            start={{ write_frozen: !isFrozen }}
            send={(payload) => admin.maintenance.freeze({ payload })}
          />
        ) : undefined}
      </Group>
    </Alert>
  )
}
