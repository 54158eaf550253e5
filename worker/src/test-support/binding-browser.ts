import type { SessionClaims } from '@latchkey/session'
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose'
import { expect } from 'vitest'
import type { AuthConfig } from '../types.js'
import { Browser, configWith, fakeProvider } from './browser.js'
import { anybody } from './deployment.js'

/** Sessions are bound over https alone. */
export const site = 'https://app.example'
export const COOKIE = '__Host-auth.session-token'

/** A service with bound sessions and one provider. */
export function bindingConfig(changes: Partial<AuthConfig> = {}): AuthConfig {
  return configWith({ providers: [fakeProvider(), anybody], boundSessions: true, ...changes })
}

/** The changes that make a proof wrong. */
export interface ProofChanges {
  readonly jti?: string | undefined
  readonly typ?: string
  readonly header?: object
  readonly claims?: Record<string, unknown>
  readonly keys?: GenerateKeyPairResult
  /** The key in the header. Left out: that of a registration is there, and a renewal has none. */
  readonly jwk?: JWK | false
  readonly alg?: 'ES256' | 'RS256'
}

/** A browser that binds its sessions, as Chromium does. */
export class BindingBrowser extends Browser {
  readonly alg: 'ES256' | 'RS256'
  keys: GenerateKeyPairResult | undefined
  identifier: string | undefined
  /** The last one that it was given. */
  challenge: string | undefined
  /** The headers that the browser adds by itself. */
  readonly own = { 'sec-fetch-site': 'same-origin', origin: site }

  constructor(
    config: AuthConfig,
    {
      at = site,
      alg = 'ES256',
      answer,
    }: { at?: string; alg?: 'ES256' | 'RS256'; answer?: Browser['answer'] } = {},
  ) {
    super(config, { at, ...(answer ? { answer } : {}) })
    this.alg = alg
  }

  get token(): string | undefined {
    return this.jar.get(COOKIE)
  }

  get claims(): SessionClaims {
    return claimsOf(this.token ?? '')
  }

  /** Signs in, and registers a key as browsers do: beside the redirect. */
  async signInBound(): Promise<Response> {
    return this.register(await this.signIn('fake'))
  }

  /** Signs in by a name, or steps up. */
  async signInAs(username: string, needs: Record<string, string> = {}): Promise<Response> {
    const answer = await this.submit('/auth/callback/credentials', { username, ...needs })
    if (answer.status !== 302) throw new Error(`The sign-in was answered with ${answer.status}.`)
    return answer
  }

  /** @param offered the answer with the offer */
  async register(
    offered: Response,
    changes: ProofChanges = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { path, challenge } = offerIn(offered) as { path: string; challenge: string }
    this.keys = await generateKeyPair(this.alg)
    const jwk = await exportJWK(this.keys.publicKey)
    const proof = await this.proof({ jti: challenge, jwk, ...changes })
    const answer = await this.send(path, {
      method: 'POST',
      headers: { ...this.own, 'secure-session-response': proof, ...headers },
    })
    return this.noted(answer)
  }

  /** Renews by a proof of the last challenge. */
  async renew(changes: ProofChanges = {}, headers: Record<string, string> = {}): Promise<Response> {
    const proof = await this.proof(changes)
    return this.refresh({ 'secure-session-response': proof, ...headers })
  }

  /** Asks for a renewal as it is. */
  async refresh(headers: Record<string, string> = {}): Promise<Response> {
    const id = { 'sec-secure-session-id': this.identifier ?? '' }
    const all = { ...this.own, ...id, ...headers }
    return this.noted(await this.send('/auth/bound/refresh', { method: 'POST', headers: all }))
  }

  async proof({
    jti = this.challenge,
    typ = 'dbsc+jwt',
    header = {},
    claims = {},
    keys = this.keys,
    jwk = false,
    alg = this.alg,
  }: ProofChanges = {}): Promise<string> {
    const head = { alg, typ, ...(jwk ? { jwk } : {}), ...header }
    return new SignJWT({ ...claims, ...(jti === undefined ? {} : { jti }) })
      .setProtectedHeader(head)
      .sign((keys as GenerateKeyPairResult).privateKey, { crit: { exp: true } })
  }

  private async noted(answer: Response): Promise<Response> {
    const [, challenge, id] =
      /^"([^"]*)";id="([^"]*)"$/.exec(answer.headers.get('secure-session-challenge') ?? '') ?? []
    if (challenge !== undefined) this.challenge = challenge
    if (answer.status === 200 && id !== undefined) this.identifier = id
    return answer
  }
}

/** What an answer offers to register; `undefined`: nothing. */
export function offerIn(answer: Response): { path: string; challenge: string } | undefined {
  const header = answer.headers.get('secure-session-registration') ?? ''
  const [, path, challenge] =
    /^\(ES256 RS256\);path="([^"]+)";challenge="([^"]+)"$/.exec(header) ?? []
  return path === undefined || challenge === undefined ? undefined : { path, challenge }
}

export function claimsOf(token: string): SessionClaims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** A browser with a copy of another one's cookies, and without its key. */
export function thiefOf(browser: BindingBrowser): BindingBrowser {
  const { answer } = browser
  const thief = new BindingBrowser({} as AuthConfig, { answer })
  for (const [name, value] of browser.jar) thief.jar.set(name, value)
  return thief
}

/** A browser of a service whose session is bound. */
export async function boundUnder(config: AuthConfig): Promise<BindingBrowser> {
  const browser = new BindingBrowser(config)
  expect((await browser.signInBound()).status).toBe(200)
  return browser
}
