/** The log lines of a test that have an event. */
import { Logger, References } from "effect"

export const make = () => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.make(({ fiber }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    if (annotations["event"] !== undefined) lines.push(annotations)
  })
  return { lines, events: () => lines.map(({ event }) => event), layer: Logger.layer([logger]) }
}
