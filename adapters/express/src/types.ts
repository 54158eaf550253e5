import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ForwardedConfigOf, InProcessConfigOf, TokenServiceConfig } from '@latchkey/host'
import type { AccessToken, Session } from '@latchkey/session'
import type { AuthConfig } from '@latchkey/worker'

declare global {
  namespace Express {
    interface Locals {
      /** The session, after a middleware has read it. */
      session?: Session | null
      /** The access token, after `requireToken` or `protectMcp` has read it. */
      token?: AccessToken
    }
  }
}

/**
 * The members of Express's request that are read. Written out, so that the types of Express 4 and
 * those of Express 5 both fit.
 */
export interface ExpressRequest extends IncomingMessage {
  readonly app: { get(setting: string): unknown }
  readonly baseUrl: string
  readonly originalUrl: string
  readonly path: string
  readonly params: object
  /** The body as the app's own parsers have read it. */
  readonly body?: unknown
  readonly res?: ServerResponse | undefined
}

/** The members of a request that `getSession` reads: Express has all of them, and fewer suffice. */
export type SessionRequest = IncomingMessage & Partial<Omit<ExpressRequest, keyof IncomingMessage>>

/** The members of Express's response that are used. */
export interface ExpressResponse extends ServerResponse {
  readonly locals: object
}

/** Express's `next`. */
export type Next = (error?: unknown) => void

/** A middleware for `app.use`. Never rejects: errors go to `next`. */
export type AuthMiddleware = (
  req: ExpressRequest,
  res: ExpressResponse,
  next: Next,
) => Promise<void>

/** This process answers the auth routes. */
export type InProcessConfig = InProcessConfigOf<AuthConfig>

/** The auth routes are forwarded to the Worker. */
export type ForwardedConfig = ForwardedConfigOf<AuthConfig>

/**
 * The configuration of the auth service without `raw`, or with `worker` instead of `providers`
 * if a Worker is the service.
 */
export type MiddlewareAuthConfig = InProcessConfig | ForwardedConfig

/** The service whose access tokens an app takes: that of its auth routes, or another one. */
export type TokenConfig = MiddlewareAuthConfig | TokenServiceConfig
