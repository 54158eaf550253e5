import type { Feature } from '../../service/feature.js'
import { checkHuman, checkScripts, humanCheck } from './check-human.js'
import { resolveTurnstile, type Turnstile } from './settings.js'
import { texts } from './texts.js'

/**
 * Cloudflare Turnstile tells people from programs, before a form sends a mail or tries a guess. It is on with
 * `AUTH_TURNSTILE_SITE_KEY` and `AUTH_TURNSTILE_SECRET_KEY` (docs/turnstile.md).
 */
export const turnstile: Feature<Turnstile> = {
  name: 'turnstile',
  configure: (_config, { env }) => resolveTurnstile(env),
  pages: { texts, codes: { 'AccessDenied turnstile': 'human' } },
  ports: {
    guard: { codes: ['turnstile'], check: checkHuman, field: humanCheck, scripts: checkScripts },
  },
}
