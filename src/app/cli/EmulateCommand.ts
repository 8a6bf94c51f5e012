/**
 * `lotbook emulate toast`: plays a vendor's till against a connection.
 *
 * Exit codes: 0 no guest differs, 1 some do, 2 the command could not run.
 */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Emulator from "../../capabilities/tills/toast/emulator/Emulator.ts"
import { overHttp } from "../../capabilities/tills/toast/emulator/Till.ts"
import { demoProgram } from "../../conformance/Verify.ts"
import { environmentName } from "../../contract/protocol/Protocol.ts"
import * as Settings from "../service/Settings.ts"
import { optionalInt, optionalText, toggle } from "./Flags.ts"
import { CannotRun, exiting } from "./StorageCommand.ts"

const tokenName = environmentName("TOKEN")
const text = (name: string, description: string) => Flag.withDescription(Flag.String(name), description)
const defaultChecks = 200

const isAddress = (url: string): boolean =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && url.includes("/connect/toast/")

const toast = Command.make(
  "toast",
  {
    url: text("url", "the connection's address, such as https://loyalty.example.com/connect/toast/cnx_…"),
    secret: text("secret", "the connection's key"),
    restaurant: optionalText(
      "restaurant",
      "the external id of the restaurant in the connection's table (default: emulator)"
    ),
    program: optionalText("program", `the connection's programme (default: ${demoProgram})`),
    checks: optionalInt("checks", `how many checks (default: ${defaultChecks})`),
    seed: optionalInt("seed", "the seed of guests, prices and choices (default: 1)"),
    chaos: toggle("chaos", "also hang up before answers, send requests twice, and out of order")
  },
  (given) =>
    exiting(
      Effect.gen(function* () {
        const { token } = Settings.given({}, process.env)
        if (token === undefined)
          return yield* new CannotRun({ message: `Set ${tokenName} to a token with protocol:read.` })
        if (!isAddress(given.url))
          return yield* new CannotRun({
            message: "--url must be the address of a connection, with /connect/toast/ in it."
          })
        const report = yield* Emulator.emulate(
          {
            url: given.url,
            key: given.secret,
            restaurant: Option.getOrElse(given.restaurant, () => "emulator"),
            program: Option.getOrElse(given.program, () => demoProgram),
            token,
            checks: Option.getOrElse(given.checks, () => defaultChecks),
            seed: Option.getOrElse(given.seed, () => 1),
            chaos: given.chaos
          },
          overHttp
        )
        for (const difference of report.differences) yield* Console.log(difference)
        const { checks, guests, repeats, requests, rewards } = report
        yield* Console.log(
          `${checks} checks of ${guests} guests, ${rewards} rewards, ${requests} requests, ${repeats} repeated: ` +
            (report.differences.length === 0 ? "no guest differs." : `${report.differences.length} differences.`)
        )
        return report.differences.length === 0 ? 0 : 1
      })
    )
).pipe(
  Command.withDescription(
    "Play a lunch at an emulated restaurant with tills of Toast, then compare every guest's balance with the emulator's own " +
      "sum of base points. The token, which reads the programme and the balances, " +
      `comes from ${tokenName}. The guests are new ones; promotions that apply to all orders make them differ. ` +
      "Exit code 0: no differences, 1: differences, 2: could not run."
  ),
  Command.withShortDescription("Play tills of Toast against a connection."),
  Command.withExamples([
    {
      command: `${tokenName}=proto-dev-token lotbook emulate toast --url http://127.0.0.1:3210/connect/toast/cnx_1 --secret tll_1 --checks 200 --seed 1`,
      description: "A lunch of 200 checks"
    },
    {
      command: `${tokenName}=proto-dev-token lotbook emulate toast --url http://127.0.0.1:3210/connect/toast/cnx_1 --secret tll_1 --chaos`,
      description: "The same with lost answers, repeats and disorder"
    }
  ])
)

export const emulate = Command.make("emulate").pipe(
  Command.withDescription("Play a vendor's tills against a service, before there is a sandbox of the vendor."),
  Command.withExamples([
    {
      command: `${tokenName}=proto-dev-token lotbook emulate toast --url http://127.0.0.1:3210/connect/toast/cnx_1 --secret tll_1`,
      description: "A lunch at a connection"
    }
  ]),
  Command.withSubcommands([toast])
)
