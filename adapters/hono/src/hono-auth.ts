import {
  createHost,
  type HostConfigOf,
  type McpOptions,
  type RequireSessionOptions,
  type RequireTokenOptions,
  sessionGate,
  type TokenServiceConfig,
} from '@latchkey/host'
import type { Session } from '@latchkey/session'
import type { AuthConfig } from '@latchkey/worker'
import type { Context, Env, MiddlewareHandler } from 'hono'
import type { WithToken } from './context-variables.js'
import { answering, reading, readSession } from './middleware.js'
import { mcpGuarding, tokenReading } from './token-middleware.js'

/** How a process answers the auth routes: by itself, or only by a Worker. */
type Parts = Pick<Parameters<typeof createHost>[0], 'service' | 'wholeEntry'>

/** The functions of both entries, for all of this process. */
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

export function honoAuth<Config extends HostConfigOf<AuthConfig>>(parts: Parts): HonoAuth<Config> {
  const host = createHost({ name: 'authHandler', needsService: true, ...parts })
  return {
    authHandler: (config) => answering(host, config),
    getSession: (c, config) => readSession(host, c, config),
    session: (config) => reading(host, config),
    requireSession: (options = {}, config) => reading(host, config, sessionGate(options)),
    requireToken: (options, config) => tokenReading(host, options, config),
    protectMcp: (options, config) => mcpGuarding(host, options, config),
  }
}
