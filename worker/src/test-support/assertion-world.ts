import type { AuthorizationServerOptions } from '../features/authorization-server/options.js'
import { customFetch } from '../lib/symbols.js'
import oidc from '../providers/oidc.js'
import { testIssuer } from './issuer.js'
import { type MachineWorld, machineWorld } from './machine-world.js'
import { clientSecret, issuer, resource } from './oauth.js'
import { assertionFields, type Claims, signed, type TestKey, testKey } from './oauth-keys.js'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const company = 'https://idp.company.example'
const cluster = 'https://oidc.cluster.example'

const now = () => Math.floor(Date.now() / 1000)

/** A service with an app that brings assertions, machines of each kind, and those who sign for them. */
export async function assertionWorld() {
  const idp = await testIssuer(company, { alg: 'ES256' })
  const [published] = idp.jwks().keys as { kid: string }[]
  const key: TestKey = {
    kid: published?.kid ?? '',
    alg: 'ES256',
    privateKey: idp.privateKey(),
    jwk: published as never,
  }
  const own = await testKey('ES256')
  const fetch = (async () =>
    Response.json({ keys: [own.jwk] })) as unknown as typeof globalThis.fetch
  const resources = { [resource]: true } as const
  const workload = { issuer: cluster, jwksUri: `${cluster}/jwks` }
  const options: AuthorizationServerOptions = {
    apps: {
      agent: { secret: clientSecret, redirectUris: ['https://agent.example/cb'] },
      keyed: { machine: true, jwks: { keys: [own.jwk] }, resources },
      nightly: { machine: true, secret: clientSecret, resources },
      job: { machine: true, workloads: [{ ...workload, claims: { sub: 'job' } }], resources },
      pod: {
        machine: true,
        workloads: [{ ...workload, claims: { sub: 'pod' }, reuse: true }],
        resources,
      },
    },
    trustedIssuers: { [company]: { provider: 'work', apps: ['agent'] } },
    fetch,
  }
  const provider = oidc({
    ...{ id: 'work', name: 'Work', issuer: company },
    ...{ clientId: 'the-client-id', clientSecret: 'the-client-secret', [customFetch]: idp.fetch },
  } as never)
  async function jobFields(client_id: 'job' | 'pod'): Promise<Record<string, string>> {
    const claims = { iss: cluster, sub: client_id, aud: issuer, iat: now(), exp: now() + 600 }
    const assertion = await signed(own, { ...claims, jti: crypto.randomUUID() })
    return { grant_type: JWT_BEARER, client_id, assertion }
  }
  return {
    options,
    world: (changes: Parameters<typeof machineWorld>[0] = {}) =>
      machineWorld({ config: { providers: [provider as never] }, options, ...changes }),
    assertion: (changes: Claims = {}) =>
      signed(
        key,
        {
          ...{ iss: company, sub: 'ada-at-work', aud: issuer, client_id: 'agent', resource },
          ...{ jti: crypto.randomUUID(), iat: now(), exp: now() + 300, scope: 'notes:read' },
          ...changes,
        },
        { typ: 'oauth-id-jag+jwt' },
      ),
    send: (one: MachineWorld, assertion: string) =>
      one.token({
        ...{ grant_type: JWT_BEARER, client_id: 'agent', client_secret: clientSecret, assertion },
      }),
    clientFields: () => assertionFields(own, 'keyed'),
    sendClient: (one: MachineWorld, fields: Record<string, string>) =>
      one.token({ grant_type: 'client_credentials', ...fields }),
    sendSecret: (one: MachineWorld) =>
      one.token({
        ...{ grant_type: 'client_credentials', client_id: 'nightly', client_secret: clientSecret },
      }),
    jobFields,
    sendJob: async (one: MachineWorld, id: 'job' | 'pod') => one.token(await jobFields(id)),
  }
}
