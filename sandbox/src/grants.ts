import { toBase64url } from './digest.js'
import type { Person } from './people.js'
import type { Scope } from './scopes.js'

/** Lifetimes of codes and tokens, in seconds. */
export interface Lifetimes {
  readonly code: number
  readonly accessToken: number
  /** Counted from the first issue: rotation does not prolong it. */
  readonly refreshToken: number
}

/** What one person allowed one client. Its codes and tokens are revoked together. */
export interface Grant {
  readonly clientKey: string
  readonly person: Person
  readonly scopes: readonly Scope[]
  revoked: boolean
}

interface Code {
  readonly grant: Grant
  readonly redirectUri: string
  readonly challenge: string
  readonly expiresAt: number
  used: boolean
}

interface Token {
  readonly grant: Grant
  readonly expiresAt: number
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Seconds left. */
  readonly expiresIn: number
  readonly refreshExpiresIn: number
}

export type TakenCode =
  | { readonly ok: true; readonly code: Code }
  | { readonly ok: false; readonly reason: 'unknown' | 'expired' | 'used' }

export type Grants = ReturnType<typeof createGrants>

interface GrantsOptions {
  readonly now: () => number
  readonly random: (length: number) => Uint8Array
  readonly lifetimes: Lifetimes
}

/** Codes and tokens, in memory. Every method is synchronous, so that each step happens whole. */
export const createGrants = ({ now, random, lifetimes }: GrantsOptions) => {
  const codes = new Map<string, Code>()
  const accessTokens = new Map<string, Token>()
  const refreshTokens = new Map<string, Token>()

  const secret = (bytes: number): string => toBase64url(random(bytes))

  const issue = (grant: Grant, refreshExpiresAt: number): IssuedTokens => {
    const accessToken = `act.${secret(32)}`
    const refreshToken = `rft.${secret(32)}`
    accessTokens.set(accessToken, { grant, expiresAt: now() + lifetimes.accessToken * 1000 })
    refreshTokens.set(refreshToken, { grant, expiresAt: refreshExpiresAt })
    return {
      accessToken,
      refreshToken,
      expiresIn: lifetimes.accessToken,
      refreshExpiresIn: Math.floor((refreshExpiresAt - now()) / 1000),
    }
  }

  const live = (token: Token | undefined): Grant | undefined =>
    token && !token.grant.revoked && token.expiresAt > now() ? token.grant : undefined

  return {
    issueCode(
      allowed: Omit<Grant, 'revoked'>,
      binding: { readonly redirectUri: string; readonly challenge: string },
    ): string {
      // The real codes hold `*` and `!`, which careless encoding breaks.
      const value = `${secret(24)}*0!${secret(6)}`
      codes.set(value, {
        ...binding,
        grant: { ...allowed, revoked: false },
        expiresAt: now() + lifetimes.code * 1000,
        used: false,
      })
      return value
    },

    /**
     * Uses up a code, even when the request fails afterwards. A second use revokes the tokens of
     * the first one (RFC 6749 §4.1.2). Another client's attempt finds nothing and changes nothing.
     */
    takeCode(value: string, clientKey: string): TakenCode {
      const code = codes.get(value)
      if (!code || code.grant.clientKey !== clientKey) return { ok: false, reason: 'unknown' }
      if (code.used) {
        code.grant.revoked = true
        return { ok: false, reason: 'used' }
      }
      code.used = true
      return code.expiresAt > now() ? { ok: true, code } : { ok: false, reason: 'expired' }
    },

    /** The first tokens of a grant, or undefined when it was revoked in the meantime. */
    issueTokens: (grant: Grant): IssuedTokens | undefined =>
      grant.revoked ? undefined : issue(grant, now() + lifetimes.refreshToken * 1000),

    /** New tokens for a refresh token, which stops working. */
    refresh(
      value: string,
      clientKey: string,
    ): { readonly grant: Grant; readonly tokens: IssuedTokens } | undefined {
      const token = refreshTokens.get(value)
      const grant = live(token)
      if (!token || !grant || grant.clientKey !== clientKey) return undefined
      refreshTokens.delete(value)
      return { grant, tokens: issue(grant, token.expiresAt) }
    },

    /**
     * Ends the grant behind an access or refresh token. An unknown token is not an error (RFC 7009
     * §2.2).
     */
    revoke(value: string, clientKey: string): 'done' | 'not-yours' {
      const grant = (accessTokens.get(value) ?? refreshTokens.get(value))?.grant
      if (!grant) return 'done'
      if (grant.clientKey !== clientKey) return 'not-yours'
      grant.revoked = true
      return 'done'
    },

    /** Ends everything that a person has allowed, as on the page of their account at the real one. */
    endOf(personId: string): void {
      for (const { grant } of [...accessTokens.values(), ...refreshTokens.values()]) {
        if (grant.person.id === personId) grant.revoked = true
      }
    },

    findByAccessToken: (value: string): Grant | undefined => live(accessTokens.get(value)),
  }
}
