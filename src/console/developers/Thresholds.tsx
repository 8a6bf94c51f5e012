/** The rows of a connector's form that say which balances' crossings it is told. */
import { Fieldset } from "@mantine/core"
import { maxThresholds } from "../../contract/platform/Connectors.ts"
import { Field } from "../shared/form/Field.tsx"
import { Rows } from "../shared/form/Rows.tsx"
import { Note } from "../shared/Note.tsx"
import { connectorStrings } from "./connectorStrings.ts"

const text = connectorStrings

export const Thresholds = () => (
  <Fieldset legend={text.thresholds} variant="unstyled">
    <Note size="sm">{text.thresholdsHint}</Note>
    <Rows
      at="/configuration/thresholds"
      blank={{ unit: "points" }}
      most={maxThresholds}
      add={text.addThreshold}
      remove={text.removeRow}
      removeOf={text.removeThreshold}
    >
      {(at, row) => (
        <>
          <Field at={`${at}/unit`} label={text.thresholdUnit(row)} isBare options={text.units} />
          <Field at={`${at}/amount`} label={text.thresholdAmount(row)} isBare input={{ hasSign: true }} />
        </>
      )}
    </Rows>
  </Fieldset>
)
