import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Session } from '@latchkey/session'
import type { ForwardedConfigOf, InProcessConfigOf } from '@latchkey/session/adapter'
import type { AuthConfig } from '@latchkey/worker'

declare global {
  namespace Express {
    interface Locals {
      /** Who is signed in, once a middleware has looked. */
      session?: Session | null
    }
  }
}

/**
 * What is read of Express's request. Written out, so that the types of Express 4 and those of
 * Express 5 both fit.
 */
export interface ExpressRequest extends IncomingMessage {
  readonly app: { get(setting: string): unknown }
  readonly baseUrl: string
  readonly originalUrl: string
  readonly path: string
  readonly params: object
  /** What the app's own parsers made of the body. */
  readonly body?: unknown
  readonly res?: ServerResponse | undefined
}

/** What `getSession` reads of a request: all that Express has, and less will do. */
export type SessionRequest = IncomingMessage & Partial<Omit<ExpressRequest, keyof IncomingMessage>>

/** What is used of Express's response. */
export interface ExpressResponse extends ServerResponse {
  readonly locals: object
}

/** Express's `next`. */
export type Next = (error?: unknown) => void

/** A middleware for `app.use`. Never rejects: what goes wrong is given to `next`. */
export type AuthMiddleware = (
  req: ExpressRequest,
  res: ExpressResponse,
  next: Next,
) => Promise<void>

/** The auth routes are answered by this process. */
export type InProcessConfig = InProcessConfigOf<AuthConfig>

/** The auth routes are answered by the Worker, to which they are forwarded. */
export type ForwardedConfig = ForwardedConfigOf<AuthConfig>

/**
 * The configuration of the auth service without `raw`, or with `worker` in the place of `providers`
 * where a Worker is the service.
 */
export type MiddlewareAuthConfig = InProcessConfig | ForwardedConfig
