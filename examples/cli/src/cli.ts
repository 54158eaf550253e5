import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A command that calls an API for its user, who signs in on any device with a browser (RFC 8628). */
const issuer = process.env.ISSUER ?? 'http://localhost:8787/auth'
const api = process.env.API ?? 'http://localhost:3000/api'
const file = process.env.TOKEN_FILE ?? join(homedir(), '.latchkey-example-cli')
const client = { client_id: 'cli' }

interface Server {
  readonly issuer: string
  readonly token_endpoint: string
  readonly device_authorization_endpoint: string
  readonly revocation_endpoint: string
}

interface Device {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval?: number
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** An answer of the service that is not a success, such as `authorization_pending`. */
class Refused extends Error {
  readonly error: string

  constructor(error: string, description: string) {
    super(description)
    this.error = error
  }
}

async function discover(): Promise<Server> {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
  const server = (await answer.json()) as Server
  // RFC 8414, section 3.3: otherwise the document belongs to another service.
  if (server.issuer !== issuer) throw new Error(`${issuer} says that it is another service.`)
  return server
}

async function post<Answer>(url: string, fields: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams({ ...client, ...fields })
  const answer = await fetch(url, { method: 'POST', body })
  const text = await answer.text()
  const found = text.startsWith('{') ? JSON.parse(text) : {}
  if (!answer.ok) {
    const { error = `status ${answer.status}`, error_description = error } = found
    throw new Refused(error, error_description)
  }
  return found
}

/** Shows a code, and asks until the user has typed it and said yes. */
async function signIn(server: Server): Promise<Tokens> {
  const device = await post<Device>(server.device_authorization_endpoint, {
    scope: 'offline_access notes:read',
    resource: api,
  })
  console.log(`Open ${device.verification_uri} and enter the code ${device.user_code}`)
  console.log(`or open ${device.verification_uri_complete}`)
  const end = Date.now() + device.expires_in * 1000
  let interval = device.interval ?? 5
  while (Date.now() < end) {
    await wait(interval * 1000)
    try {
      return await post<Tokens>(server.token_endpoint, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: device.device_code,
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      // RFC 8628, section 3.5.
      if (error.error === 'slow_down') interval += 5
      else if (error.error !== 'authorization_pending') throw error
    }
  }
  throw new Error('The code has expired. Start again.')
}

async function keptToken(): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Only this user of the machine may read it. A new file takes the old one's place, so that none is half written. */
async function keep({ refresh_token }: Tokens): Promise<void> {
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, refresh_token, { mode: 0o600, flag: 'wx' })
  await rename(fresh, file)
}

async function signedIn(server: Server): Promise<Tokens> {
  const refreshToken = await keptToken()
  if (refreshToken === undefined) return signIn(server)
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken }
  try {
    return await post<Tokens>(server.token_endpoint, fields)
  } catch (error) {
    // The access has ended. After any other failure the token is still good.
    if (!(error instanceof Refused) || error.error !== 'invalid_grant') throw error
    return signIn(server)
  }
}

async function callApi(): Promise<void> {
  const tokens = await signedIn(await discover())
  await keep(tokens)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const answer = await fetch(`${api}/notes`, { headers })
  console.log(`${answer.status} ${await answer.text()}`)
}

async function signOut(): Promise<void> {
  const token = await keptToken()
  if (token === undefined) return console.log('You are signed out already.')
  const server = await discover()
  const answer = await fetch(server.revocation_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ ...client, token }),
  })
  if (!answer.ok) throw new Error(`The service answered ${answer.status}. Try again.`)
  await rm(file, { force: true })
  console.log('You are signed out.')
}

try {
  await (process.argv[2] === 'sign-out' ? signOut() : callApi())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
