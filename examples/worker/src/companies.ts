import { env } from 'cloudflare:workers'
import { createAuth } from '@latchkey/worker'
import { type Company, companies } from '@latchkey/worker/features/companies'
import type { AuthBindings } from '@latchkey/worker/ledger'
import { mayEnter, scim } from './scim.js'
import { tablesIn } from './scim-tables.js'

export { Ledger } from '@latchkey/worker/ledger'

interface Env extends AuthBindings {
  readonly DIRECTORY: D1Database
  /** The SHA-256 of each company's token in hex, by the company's id, as JSON. */
  readonly SCIM_TOKENS: string
}

const ACME: Company = {
  id: 'acme',
  domains: ['acme.com'],
  issuer: 'https://login.acme.com',
  clientId: 'latchkey',
}

const directory = tablesIn((env as Env).DIRECTORY)

/** An auth Worker for companies, whose directories tell who has left. */
const auth = createAuth<Env>({
  basePath: '/auth',
  providers: [],
  features: [
    companies({
      find: (domain) => (ACME.domains.includes(domain) ? ACME : undefined),
      get: (id) => (id === ACME.id ? ACME : undefined),
    }),
  ],
  callbacks: {
    signIn: ({ account, profile }) => mayEnter(directory, account, profile),
  },
})

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/scim/v2/')) return auth.fetch(request, env, ctx)
    return scim(request, pathname.slice('/scim/v2'.length), {
      auth: {
        subOfCompany: (person) => auth.subOfCompany(person, env, ctx),
        getPerson: (sub) => auth.getPerson(sub, env, ctx),
        blockPerson: (whom) => auth.blockPerson(whom, env, ctx),
        unblockPerson: (sub) => auth.unblockPerson(sub, env, ctx),
      },
      directory,
      tokens: JSON.parse(env.SCIM_TOKENS),
    })
  },
} satisfies ExportedHandler<Env>
