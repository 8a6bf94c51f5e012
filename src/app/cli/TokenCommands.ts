/** `lotbook tokens` and `lotbook freeze`: keys, and the switch of the write freeze. */
import { Console, Effect, Layer, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Freeze from "../../capabilities/operators/Freeze.ts"
import * as Tokens from "../../capabilities/operators/Tokens.ts"
import { CurrentSite } from "../../capabilities/staff/Site.ts"
import { MaintenanceChange } from "../../contract/admin/Maintenance.ts"
import type { IssuedToken, Token, TokenRequest } from "../../contract/admin/Tokens.ts"
import { scopes } from "../../contract/Scopes.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { Keys } from "../../desk/access/Keys.ts"
import type { Storage } from "../service/Settings.ts"
import * as Settings from "../service/Settings.ts"
import type { AdminClient, Open, Target } from "./AdminTarget.ts"
import { ask, targetFlags, toExitCode } from "./AdminTarget.ts"
import { optionalInt, optionalText } from "./Flags.ts"
import { described, limitFlags, limitsOf } from "./LimitFlags.ts"
import { checked } from "./MemberCommands.ts"
import { CannotRun, printable } from "./StorageCommand.ts"

/** An operators' use case on a service and on a database, and a printer for its result. */
interface Work<A, E, F> {
  readonly at: (client: AdminClient) => Effect.Effect<A, E>
  readonly on: Effect.Effect<A, F, PeoplePool | CurrentCaller | Keys | Programs>
  readonly print: (result: A) => Effect.Effect<void>
}

/** Runs a use case with the keys of the environment and the database. */
const onDatabase =
  <A, F>(open: Open, work: Effect.Effect<A, F, PeoplePool | CurrentCaller | Keys | Programs>) =>
  (storage: Storage) =>
    Effect.gen(function* () {
      const given = Settings.given({}, process.env)
      const keys = Settings.readKeys(given)
      if (Result.isFailure(keys)) return yield* new CannotRun({ message: keys.failure })
      const site = Settings.readSite(given)
      if (Result.isFailure(site)) return yield* new CannotRun({ message: site.failure })
      const services = Keys.layer(keys.success).pipe(Layer.merge(Layer.provideMerge(PeoplePool.layer, open(storage))))
      return yield* Effect.provide(Effect.provideService(work, CurrentSite, site.success), services)
    })

export const working =
  (open: Open) =>
  <A, E, F>(target: Target, { at, on, print }: Work<A, E, F>): Effect.Effect<void> =>
    toExitCode(Effect.flatMap(ask(target, { at, on: onDatabase(open, on) }), print))

const describe = ({
  expires_at,
  hint,
  name,
  programs,
  scopes,
  status,
  token_id,
  ...limits
}: typeof Token.Type): string =>
  printable(
    [
      token_id,
      status,
      name,
      scopes.join(","),
      programs === undefined ? "all programmes" : programs.join(","),
      ...described(limits),
      ...(expires_at === undefined ? [] : [`until ${expires_at}`]),
      ...(hint === undefined ? [] : [`…${hint}`])
    ].join("  ")
  )

/** Prints the secret alone on standard output, for scripts, and its description on standard error. */
const printSecret = (token: typeof IssuedToken.Type) =>
  Effect.andThen(Console.error(`${describe(token)}\nIts secret, shown only once:`), Console.log(token.secret ?? ""))

const tokenId = Argument.withDescription(Argument.String("token"), "the token's id, such as tok_7Q2MXK4T0ZB9HD3W")

const create = (open: Open) =>
  Command.make(
    "create",
    {
      ...targetFlags,
      name: Flag.withDescription(Flag.String("name"), "a name for people, such as the till's location; required"),
      scope: Flag.atLeast(
        Flag.withDescription(Flag.Literals("scope", scopes), "a scope; repeat it for each scope; required"),
        1
      ),
      program: Flag.atLeast(
        Flag.withDescription(Flag.String("program"), "a programme that limits it; repeat it for each (all)"),
        0
      ),
      ...limitFlags("it"),
      expiresAt: optionalText("expires-at", "when it ends, such as 2027-01-01T00:00:00Z (never)")
    },
    ({ brand, expiresAt, franchisee, location, name, program, scope, ...target }) => {
      const expires_at = Option.getOrUndefined(expiresAt)
      const payload: typeof TokenRequest.Type = {
        name,
        scopes: scope,
        ...(program.length === 0 ? undefined : { programs: program }),
        ...limitsOf({ brand, franchisee, location }),
        ...(expires_at === undefined ? undefined : { expires_at })
      }
      return working(open)(target, {
        at: (client) => client.tokens.createToken({ payload }),
        on: Tokens.create(payload),
        print: printSecret
      })
    }
  ).pipe(
    Command.withDescription("Issue a token and print its secret once."),
    Command.withExamples([
      {
        command:
          "lotbook tokens create --name 'Till West' --scope protocol:read --scope protocol:write --program demo-foodservice --url http://127.0.0.1:3210",
        description: "A token for a till"
      },
      {
        command:
          "lotbook tokens create --name 'Till of Harbour Foods' --scope protocol:read --scope protocol:write --franchisee harbour-foods --url http://127.0.0.1:3210",
        description: "A token for the tills of a franchisee"
      },
      {
        command: "lotbook tokens create --name prometheus --scope metrics:read",
        description: "A token for metrics, on the database"
      }
    ])
  )

const list = (open: Open) =>
  Command.make("list", targetFlags, (target) =>
    working(open)(target, {
      at: (client) => Effect.map(client.tokens.tokens(), ({ tokens }) => tokens),
      // The command's environment is not the service's.
      on: Tokens.issued,
      print: Effect.forEach((token) => Console.log(describe(token)), { discard: true })
    })
  ).pipe(
    Command.withDescription(
      "Show all tokens. On a database: only issued ones, because the others are in a service's environment."
    ),
    Command.withExamples([
      {
        command: "lotbook tokens list --url http://127.0.0.1:3210",
        description: "On a service; its key is in the environment"
      }
    ])
  )

const rotate = (open: Open) =>
  Command.make(
    "rotate",
    {
      ...targetFlags,
      token: tokenId,
      overlap: optionalInt("overlap-seconds", "how long the older secret still works (86400, a day)")
    },
    ({ overlap, token, ...target }) => {
      const overlap_seconds = Option.getOrUndefined(overlap)
      const payload = overlap_seconds === undefined ? {} : { overlap_seconds }
      return working(open)(target, {
        at: (client) => client.tokens.rotateToken({ params: { token_id: token }, payload }),
        on: Tokens.rotate(token, payload),
        print: printSecret
      })
    }
  ).pipe(
    Command.withDescription("Give a token a new secret and print it once."),
    Command.withExamples([
      {
        command: "lotbook tokens rotate tok_7Q2MXK4T0ZB9HD3W --overlap-seconds 3600",
        description: "The older secret works for another hour"
      }
    ])
  )

const revoke = (open: Open) =>
  Command.make(
    "revoke",
    {
      ...targetFlags,
      token: tokenId,
      reason: Flag.withDescription(Flag.String("reason"), "why, for the audit; required")
    },
    ({ reason, token, ...target }) =>
      working(open)(target, {
        at: (client) => client.tokens.revokeToken({ params: { token_id: token }, payload: { reason } }),
        on: Tokens.revoke(token, reason),
        print: (revoked) => Console.log(describe(revoked))
      })
  ).pipe(
    Command.withDescription("Revoke a token, and every token that it issued."),
    Command.withExamples([
      {
        command: "lotbook tokens revoke tok_7Q2MXK4T0ZB9HD3W --reason 'Till was stolen'",
        description: "Immediately, on every service"
      }
    ])
  )

export const tokens = (open: Open) =>
  Command.make("tokens").pipe(
    Command.withDescription("Issue, show, rotate and revoke tokens."),
    Command.withExamples([{ command: "lotbook tokens list", description: "On the database" }]),
    Command.withSubcommands([create(open), list(open), rotate(open), revoke(open)])
  )

const printFreeze = ({ write_frozen }: { readonly write_frozen: boolean }) =>
  Console.log(write_frozen ? "Writes are frozen." : "Writes are allowed.")

const freezeTo = (open: Open, name: "on" | "off", meaning: string) =>
  Command.make(
    name,
    { ...targetFlags, reason: optionalText("reason", "why, for the audit, without personal data") },
    Effect.fnUntraced(function* ({ reason, ...target }) {
      const payload = yield* checked(MaintenanceChange, {
        write_frozen: name === "on",
        ...(Option.isSome(reason) ? { reason: reason.value } : undefined)
      })
      return yield* working(open)(target, {
        at: (client) => client.maintenance.freeze({ payload }),
        on: Freeze.set(payload.write_frozen, payload.reason),
        print: printFreeze
      })
    }, toExitCode)
  ).pipe(
    Command.withDescription(meaning),
    Command.withExamples([
      {
        command: `lotbook freeze ${name} --url http://127.0.0.1:3210`,
        description: "On a service; its key is in the environment"
      },
      { command: `lotbook freeze ${name} --reason 'The move'`, description: "On the database" }
    ])
  )

const freezeStatus = (open: Open) =>
  Command.make("status", targetFlags, (target) =>
    working(open)(target, {
      at: (client) => client.maintenance.maintenance(),
      on: Freeze.read,
      print: printFreeze
    })
  ).pipe(
    Command.withDescription("Show whether writes are frozen."),
    Command.withExamples([
      {
        command: "lotbook freeze status --url http://127.0.0.1:3210",
        description: "On a service; its key is in the environment"
      }
    ])
  )

export const freeze = (open: Open) =>
  Command.make("freeze").pipe(
    Command.withDescription("Freeze writes on every service of a database, or allow them again."),
    Command.withExamples([{ command: "lotbook freeze status", description: "On the database" }]),
    Command.withSubcommands([
      freezeTo(
        open,
        "on",
        "Freeze writes; returns once every earlier write is committed, and every node refuses new ones."
      ),
      freezeTo(open, "off", "Allow writes again, on every node within 2 s."),
      freezeStatus(open)
    ])
  )
