/** The page of a programme before anybody has signed in (contract/guests.md *The page itself*). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { hash } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { GuestApi } from "../../contract/guest/Api.ts"
import { consentTextVersion } from "../../contract/guest/ConsentText.ts"
import type { PageFacts } from "../../contract/guest/Page.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { CurrentMail } from "../mail/Mail.ts"
import * as Logos from "../programs/Logos.ts"
import { pagedProgram } from "./CurrentGuest.ts"
import * as PhoneCodes from "./PhoneCodes.ts"

export const layer = HttpApiBuilder.group(GuestApi, "guest_page", (handlers) =>
  Effect.gen(function* () {
    const programs = yield* Programs
    const logo = yield* Logos.reader
    const email = (yield* CurrentMail) !== undefined
    const byPhone = yield* PhoneCodes.offers((yield* PeoplePool).query)
    return handlers.handle("showGuestPage", ({ params: { program_id }, request }) =>
      Effect.gen(function* () {
        const program = yield* Visible.known(programs, program_id)
        const { colour, languages, links = [], name } = yield* pagedProgram(program)
        const found = yield* logo(program_id)
        const phone = yield* byPhone(program)
        const facts: PageFacts = {
          program_id,
          name,
          colour,
          languages,
          links,
          ...(found === undefined ? undefined : { logo_url: found.url }),
          sign_in: { email, phone },
          ...(program.file.country === undefined ? undefined : { country: program.file.country }),
          time_zone: program.zone,
          can_join: (email || phone) && !program.isRetired,
          can_claim: program.claims !== undefined && !program.isRetired,
          text_version: consentTextVersion
        }
        const body = JSON.stringify(facts)
        const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`
        const headers = { etag, "cache-control": "public, max-age=60" }
        if (request.headers["if-none-match"] === etag) return HttpServerResponse.empty({ status: 304, headers })
        return HttpServerResponse.text(body, { contentType: "application/json", headers })
      })
    )
  })
)
