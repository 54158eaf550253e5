import type {
  McpOptions,
  RequireSessionOptions,
  RequireTokenOptions,
  TokenServiceConfig,
} from '@latchkey/host'
import type { Session } from '@latchkey/session'
import type { Context, Env, MiddlewareHandler } from 'hono'
import type { WithToken } from './context-variables.js'

/**
 * The functions of both entries. Each entry makes them one by one, and not as the members of one object: a bundler leaves out
 * those that an app does not import.
 */
export interface HonoAuth<Config> {
  // biome-ignore lint/suspicious/noExplicitAny: Hono's own default for an app that does not name its bindings
  authHandler<E extends Env = any>(
    config: Config | ((c: Context<E>) => Config | Promise<Config>),
  ): MiddlewareHandler<E>
  getSession(c: Context, config?: Config): Promise<Session | null>
  session(config?: Config): MiddlewareHandler
  requireSession(options?: RequireSessionOptions, config?: Config): MiddlewareHandler
  requireToken(
    options: RequireTokenOptions,
    config?: Config | TokenServiceConfig,
  ): MiddlewareHandler<WithToken>
  protectMcp(
    options: McpOptions,
    config?: Config | TokenServiceConfig,
  ): MiddlewareHandler<WithToken>
}
