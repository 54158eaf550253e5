import {
  IMPORT_HEADER,
  type ImportRow,
  namedStoreIn,
  openNamedStore,
  proofKeyOf,
  requireSecrets,
  signImport,
} from '@latchkey/host/shared'
import { createAuth } from '@latchkey/worker'
import { passwords } from '@latchkey/worker/features/passwords'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import microsoftEntraId from '@latchkey/worker/providers/microsoft-entra-id'
import oauth from '@latchkey/worker/providers/oauth'
import password from '@latchkey/worker/providers/password'
import { WrongUse } from 'latchkey/internal'
import type { Wanted } from './accounts.js'
import { type ImportAnswer, ImportStopped, type Target } from './target.js'

/** The service's own address: no request reaches it, and its tokens do not leave this process. */
const BASE = 'https://import.invalid/auth'

/**
 * The store of an app that serves the auth routes itself, opened by this process. The service that
 * answers accepts every provider by name, because only the app's code says which ones it has.
 *
 * @param value in the form of `AUTH_STORE`
 * @throws {WrongUse} it is invalid
 * @throws {ImportStopped} it cannot be used
 */
export async function storeAt(
  value: string,
  wanted: Wanted,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Target> {
  const secrets = wanted.passwords ? secretsIn(env) : [randomSecret()]
  const [secret = ''] = secrets
  const store = await opened(value, env.AUTH_STORE_PREFIX)
  const until = () => new Date(Date.now() + 3_600_000).toISOString()
  const ids = new Set<string>(wanted.passwords && wanted.email ? [wanted.email] : [])
  let auth: ReturnType<typeof createAuth> | undefined
  return {
    providers: undefined,
    async send(rows) {
      const added = rows.filter(([, provider]) => !ids.has(provider))
      for (const [, provider] of added) ids.add(provider)
      if (added.length > 0 || !auth) {
        const providers = [...ids].map((id) => standIn(id, wanted))
        const { email: address } = wanted
        const own = wanted.passwords && address ? [password({ email: address })] : []
        const logger = { info: () => {}, warn: () => {}, error: () => {} }
        // The random secret belongs to no service and must leave no mark in the store, so only the
        // name is used. Passwords alone are sealed, with the app's own.
        const { sessions, rows: table } = store
        auth = createAuth({
          basePath: '/auth',
          secret: secrets,
          providers: [...providers, ...own],
          features: [passwords],
          store: { sessions, rows: table },
          logger,
          trustHost: true,
        })
      }
      const issuer = env.AUTH_MICROSOFT_ENTRA_ID_ISSUER
      const variables = {
        AUTH_IMPORT_UNTIL: until(),
        ...(issuer ? { AUTH_MICROSOFT_ENTRA_ID_ISSUER: issuer } : {}),
      }
      return answered(await auth.fetch(await requestOf(rows, secret), variables))
    },
    close: () => store.close(),
  }
}

function randomSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
}

/** @throws {WrongUse} */
function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    return requireSecrets({}, env)
  } catch (error) {
    throw new WrongUse(
      `--passwords needs AUTH_SECRET of the app in the environment, which seals the hashes. ${(error as Error).message}`,
    )
  }
}

type NodeStore = ReturnType<typeof import('@latchkey/worker/stores/sqlite').openStore>

async function opened(value: string, prefix: string | undefined) {
  const named = (() => {
    try {
      return namedStoreIn({ AUTH_STORE: value, AUTH_STORE_PREFIX: prefix })
    } catch (error) {
      throw new WrongUse((error as Error).message)
    }
  })()
  if (!named) throw new WrongUse('--store must be file:<path>, postgres://… or redis://….')
  try {
    const store = await openNamedStore<NodeStore>(
      named,
      (kind) => import(`@latchkey/worker/stores/${kind}`),
    )
    await store.ready()
    return store
  } catch (error) {
    throw new ImportStopped((error as Error).message)
  }
}

/** A provider that makes the same names of accounts as the app's. */
function standIn(id: string, wanted: Wanted) {
  if (id === wanted.email) {
    return email({ id, from: 'import@example.com', sendVerificationRequest: () => {} })
  }
  if (id === wanted.credentials) return credentials({ id, authorize: () => null })
  const client = { clientId: 'import', clientSecret: 'import' }
  // Its accounts are distinct only with their tenants, under both of its ids.
  if (id === 'microsoft-entra-id' || id === 'azure-ad') return microsoftEntraId({ id, ...client })
  const at = 'https://provider.invalid'
  return oauth({ id, name: id, ...client, authorization: at, token: at, userinfo: at })
}

async function requestOf(accounts: readonly ImportRow[], secret: string): Promise<Request> {
  const url = new URL(`${BASE}/import`)
  const body = new TextEncoder().encode(JSON.stringify({ accounts }))
  const key = await proofKeyOf(secret, 'import')
  const signed = await signImport(key, url, body, Date.now() / 1000)
  const headers = { [IMPORT_HEADER]: signed, 'content-type': 'application/json' }
  return new Request(url, { method: 'POST', headers, body })
}

async function answered(answer: Response): Promise<ImportAnswer> {
  if (answer.ok) return (await answer.json()) as ImportAnswer
  throw new ImportStopped(`The store cannot be written (${answer.status}).`)
}
