/** `lotbook staff`: people of the console, for the first start and for lost devices. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Hosts from "../../capabilities/staff/Hosts.ts"
import * as Invitees from "../../capabilities/staff/Invitees.ts"
import * as Users from "../../capabilities/staff/Users.ts"
import type { Invited, User } from "../../contract/admin/Staff.ts"
import { limitsIn } from "../../contract/RestaurantLimits.ts"
import { roles } from "../../contract/Roles.ts"
import { type AdminClient, CommandRefused, type Open, targetFlags } from "./AdminTarget.ts"
import { optionalText } from "./Flags.ts"
import { described, limitFlags, limitsOf } from "./LimitFlags.ts"
import { printable } from "./StorageCommand.ts"
import { working } from "./TokenCommands.ts"

const describe = ({ email, name, passkeys, programs, role, status, user_id, ...limits }: typeof User.Type): string =>
  printable(
    [
      user_id,
      status,
      role,
      email,
      name,
      programs === undefined ? "all programmes" : programs.join(","),
      ...described(limits),
      `${passkeys.length} passkeys`
    ].join("  ")
  )

/** Prints the address alone on standard output, for scripts, and whom it is for on standard error. */
const printInvited = ({ invitation_url, user }: typeof Invited.Type) =>
  Effect.andThen(
    Console.error(
      `${describe(user)}\nSend this address to ${user.name}. It works for 7 days, once. On the database its beginning comes ` +
        "from PROTO_PUBLIC_URL, or is http://localhost and PORT, as of a service with the same environment:"
    ),
    Console.log(invitation_url ?? "")
  )

/** The same as `Users.inviteByEmail` over the service's routes. */
const inviteAt = Effect.fnUntraced(function* (client: AdminClient, asked: Invitees.Invitee) {
  const { email, name, programs, role, ...limits } = asked
  const { users } = yield* client.staff.listStaff()
  const known = users.find((user) => user.email.toLowerCase() === email.toLowerCase())
  if (known !== undefined && Invitees.differs(known, asked))
    return yield* new CommandRefused({ detail: Invitees.isAlready(known) })
  if (known !== undefined) return yield* client.staff.inviteUserAgain({ params: { user_id: known.user_id } })
  if (name === undefined || role === undefined) return yield* new CommandRefused({ detail: Invitees.noUser(email) })
  const payload = { email, name, role, ...(programs === undefined ? undefined : { programs }), ...limitsIn(limits) }
  return yield* client.staff.inviteUser({ payload })
})

const invite = (open: Open) =>
  Command.make(
    "invite",
    {
      ...targetFlags,
      email: Argument.withDescription(
        Argument.String("email"),
        "the person's e-mail address; this command sends no mail"
      ),
      name: optionalText("name", "the person's name; needed for somebody new"),
      role: Flag.optional(
        Flag.withDescription(Flag.Literals("role", roles), "what the person may do; needed for somebody new")
      ),
      program: Flag.atLeast(
        Flag.withDescription(Flag.String("program"), "a programme that limits somebody new; repeat it for each (all)"),
        0
      ),
      ...limitFlags("somebody new")
    },
    ({ brand, email, franchisee, location, name, program, role, ...target }) => {
      const asked = {
        email,
        name: Option.getOrUndefined(name),
        role: Option.getOrUndefined(role),
        programs: program.length === 0 ? undefined : program,
        ...limitsOf({ brand, franchisee, location })
      }
      return working(open)(target, {
        at: (client) => inviteAt(client, asked),
        on: Users.inviteByEmail(asked),
        print: printInvited
      })
    }
  ).pipe(
    Command.withDescription(
      "Invite a person, again after lost devices, and print the address that makes a passkey. On the database give it the PROTO_PUBLIC_URL and PORT of the service."
    ),
    Command.withExamples([
      {
        command: "lotbook staff invite maria@example.com --name 'Maria Rossi' --role owner",
        description: "A new owner, on the database"
      },
      {
        command:
          "lotbook staff invite nora@example.com --name 'Nora Harbour' --role franchisee --franchisee harbour-foods",
        description: "A franchisee, who sees her restaurants alone"
      },
      { command: "lotbook staff invite maria@example.com", description: "Somebody who has lost every device" }
    ])
  )

const list = (open: Open) =>
  Command.make("list", targetFlags, (target) =>
    working(open)(target, {
      at: (client) => Effect.map(client.staff.listStaff(), ({ users }) => users),
      on: Users.list,
      print: Effect.forEach((user) => Console.log(describe(user)), { discard: true })
    })
  ).pipe(
    Command.withDescription("Show all people, and what each may do."),
    Command.withExamples([{ command: "lotbook staff list", description: "On the database" }])
  )

const forget = (open: Open) =>
  Command.make(
    "forget-passkeys",
    {
      ...targetFlags,
      host: Argument.withDescription(Argument.String("host"), "the former host of PROTO_PUBLIC_URL")
    },
    ({ host, ...target }) =>
      working(open)(target, {
        at: () =>
          Effect.fail(
            new CommandRefused({ detail: "Passkeys of a host are removed on the database: leave --url out." })
          ),
        on: Hosts.forget(host),
        print: (removed) =>
          Console.log(
            removed === 0
              ? `No passkey is for ${host}; nothing was removed.`
              : `Removed ${removed} passkeys of ${host}. Invite their users again.`
          )
      })
  ).pipe(
    Command.withDescription("Remove all passkeys of a host that the service is no longer reached by, on the database."),
    Command.withExamples([
      { command: "lotbook staff forget-passkeys old.example.com", description: "After the service's name changed" }
    ])
  )

export const staff = (open: Open) =>
  Command.make("staff").pipe(
    Command.withDescription("Invite people, and show them."),
    Command.withExamples([{ command: "lotbook staff list", description: "On the database" }]),
    Command.withSubcommands([invite(open), list(open), forget(open)])
  )
