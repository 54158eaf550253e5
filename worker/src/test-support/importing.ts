import { IMPORT_HEADER, type ImportRow, proofKeyOf, signImport } from '@latchkey/host/shared'
import { createAuth } from '../index.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { Browser, origin, secret } from './browser.js'
import { people } from './people.js'

interface ImportAnswer {
  readonly added: number
  readonly known: number
  readonly left: readonly (readonly [at: number, why: string])[]
}

/** How a request differs from a sound one. */
interface Changes {
  readonly secret?: string
  readonly path?: string
  /** The path that is signed. */
  readonly signed?: string
  /** The origin that is signed. */
  readonly at?: string
  /** Sent instead of the signed body. */
  readonly body?: string
  /** The time of the signature. Seconds since the epoch. */
  readonly time?: number
}

/** A request that brings accounts. */
export async function importRequest(
  accounts: readonly (readonly unknown[])[],
  changed: Changes = {},
): Promise<Request> {
  const path = changed.path ?? '/auth/import'
  const body = new TextEncoder().encode(JSON.stringify({ accounts }))
  const key = await proofKeyOf(changed.secret ?? secret, 'import')
  const signed = new URL((changed.at ?? origin) + (changed.signed ?? path))
  const time = changed.time ?? Date.now() / 1000
  const headers = {
    [IMPORT_HEADER]: await signImport(key, signed, body, time),
    'content-type': 'application/json',
  }
  return new Request(origin + path, { method: 'POST', headers, body: changed.body ?? body })
}

/** A service that takes accounts over, for a day. */
export function importing(
  inner?: Stores,
  changes: Partial<AuthConfig> = {},
  env: Record<string, string> = {},
  profiles: Record<string, Record<string, unknown>> = {},
) {
  const service = people(changes, { ...(inner ? { inner } : {}), profiles })
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const auth = createAuth(service.config)
  const variables = { AUTH_IMPORT_UNTIL: until, ...env }
  const answer = (request: Request) => auth.fetch(request, variables)
  const send = async (accounts: readonly (readonly unknown[])[], changed?: Changes) =>
    answer(await importRequest(accounts, changed))
  return {
    ...service,
    answer,
    requestOf: importRequest,
    send,
    browser: () => new Browser(service.config, { answer }),
    async bring(...accounts: ImportRow[]): Promise<ImportAnswer> {
      const response = await send(accounts)
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      return (await response.json()) as ImportAnswer
    },
    /** @returns the `sub` of the person who signs in with an account */
    async subBy(provider: string, account: string): Promise<string> {
      const one = new Browser(service.config, { answer })
      return service.subOf(await service.signIn(provider, account, one))
    },
  }
}
