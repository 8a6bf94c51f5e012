/** The own account of the person who is signed in. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Account } from "../../contract/admin/Account.ts"
import type { User } from "../../contract/admin/Staff.ts"
import { Language } from "../../contract/Languages.ts"
import { call, client } from "./client.ts"
import { language } from "./language.ts"
import { useSession } from "./session.tsx"

export const accountClient = client(Account)

const queryKey = ["account"]

const shown = () => call(accountClient.account.showOwnAccount())

/** The account. A session that a key opened has none. */
export const useOwnAccount = () => useQuery({ queryKey, enabled: useSession().user !== undefined, queryFn: shown })

/** A function that keeps what the service answered to a change of the account. */
export const useKeepAccount = () => {
  const queries = useQueryClient()
  return (user: typeof User.Type): void =>
    void queries.setQueryData<Awaited<ReturnType<typeof shown>>>(queryKey, (before) => ({ ...before, ...user }))
}

/** A language of the console as the account knows it. */
const known = (choice: string): Language => Language.literals.find((one) => one === choice) ?? "en"

/** The page's language, for people who are invited from it. */
export const accountLanguage = known(language)

/** Keeps a language with the person, for every device and for mails. */
export const chooseLanguage = (choice: string) =>
  call(accountClient.account.chooseOwnLanguage({ payload: { language: known(choice) } }))
